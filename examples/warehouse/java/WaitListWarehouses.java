/** A row of warehouses with wait lists; a robot that makes room calls those who have been waiting for it. */
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class WaitListWarehouses {
    private class Waiting {
        final int weight;
        final Condition condition = lock.newCondition();
        boolean called = false;

        Waiting(int weight) {
            this.weight = weight;
        }

        void call() {
            called = true;
            condition.signal();
        }

        void await() throws InterruptedException {
            while (!called) {
                condition.await();
            }
        }
    }

    private class Hall {
        int weight = 0;
        boolean corridorOccupied = false; // the corridor that leads to this hall
        final List<Waiting> forSpace = new ArrayList<>();
        final Queue<Waiting> forCorridor = new ArrayDeque<>();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final int maxWeight;
    private final List<Hall> halls = new ArrayList<>();

    public WaitListWarehouses(int count, int maxWeight) {
        this.maxWeight = maxWeight;
        for (int n = 0; n < count; n++) {
            halls.add(new Hall());
        }
    }

    public void enter(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            Hall hall = halls.get(n);
            if (hall.weight + weight > maxWeight) {
                Waiting me = new Waiting(weight);
                hall.forSpace.add(me);
                me.await();
            }
            hall.weight += weight;
            if (n > 0) {
                hall.corridorOccupied = false;
                if (!hall.forCorridor.isEmpty()) {
                    hall.forCorridor.remove().call();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    public void exit(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            if (n + 1 < halls.size()) {
                Hall next = halls.get(n + 1);
                if (next.corridorOccupied) {
                    Waiting me = new Waiting(weight);
                    next.forCorridor.add(me);
                    me.await();
                }
                next.corridorOccupied = true;
            }
            Hall hall = halls.get(n);
            hall.weight -= weight;
            Iterator<Waiting> waiting = hall.forSpace.iterator();
            while (waiting.hasNext()) {
                Waiting robot = waiting.next();
                if (hall.weight + robot.weight <= maxWeight) {
                    waiting.remove();
                    robot.call();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
