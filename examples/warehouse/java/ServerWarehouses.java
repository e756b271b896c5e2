/** A row of warehouses that belongs to one server thread; robots send it requests and wait for the answer. */
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

public class ServerWarehouses {
    private record Request(boolean entering, int n, int weight, CountDownLatch granted) {
    }

    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();

    public ServerWarehouses(int count, int maxWeight) {
        Thread thread = new Thread(new Server(requests, count, maxWeight), "warehouses");
        thread.setDaemon(true);
        thread.start();
    }

    public void enter(int n, int weight) throws InterruptedException {
        ask(true, n, weight);
    }

    public void exit(int n, int weight) throws InterruptedException {
        ask(false, n, weight);
    }

    private void ask(boolean entering, int n, int weight) throws InterruptedException {
        Request request = new Request(entering, n, weight, new CountDownLatch(1));
        requests.put(request);
        request.granted.await();
    }

    private static class Server implements Runnable {
        private final BlockingQueue<Request> requests;
        private final int count;
        private final int maxWeight;
        private final int[] weights;
        private final Request[] inCorridor; // the departure that occupies the corridor to n, or null
        private final List<Queue<Request>> departures = new ArrayList<>();
        private final List<List<Request>> arrivals = new ArrayList<>();

        Server(BlockingQueue<Request> requests, int count, int maxWeight) {
            this.requests = requests;
            this.count = count;
            this.maxWeight = maxWeight;
            this.weights = new int[count];
            this.inCorridor = new Request[count];
            for (int n = 0; n < count; ++n) {
                departures.add(new ArrayDeque<>());
                arrivals.add(new ArrayList<>());
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Request request = requests.take();
                    if (request.entering) {
                        arrivals.get(request.n).add(request);
                        letIn(request.n);
                    } else {
                        departures.get(request.n).add(request);
                        letOut(request.n);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void letIn(int n) {
            boolean corridorFreed = false;
            Iterator<Request> waiting = arrivals.get(n).iterator();
            while (waiting.hasNext()) {
                Request request = waiting.next();
                if (weights[n] + request.weight <= maxWeight) {
                    waiting.remove();
                    weights[n] += request.weight;
                    inCorridor[n] = null;
                    corridorFreed = n > 0;
                    request.granted.countDown();
                }
            }
            if (corridorFreed) {
                letOut(n - 1);
            }
        }

        private void letOut(int n) {
            Queue<Request> waiting = departures.get(n);
            boolean left = false;
            while (!waiting.isEmpty() && (n == count - 1 || inCorridor[n + 1] == null)) {
                Request request = waiting.remove();
                weights[n] -= request.weight;
                if (n < count - 1) {
                    inCorridor[n + 1] = request;
                }
                left = true;
                request.granted.countDown();
            }
            if (left) {
                letIn(n);
            }
        }
    }
}
