/** Warehouses as they should be, in a machine that collects its garbage all the time. */
public class CollectedWarehouses {
    private final int[] weight;
    private final boolean[] occupied;
    private final int maxWeight;
    private static volatile Object garbage;

    static {
        Thread collector = new Thread(() -> {
            while (true) {
                for (int i = 0; i < 100; i++) {
                    garbage = new byte[10_000];
                }
                System.gc();
            }
        }, "bystander that collects");
        collector.setDaemon(true);
        collector.start();
    }

    public CollectedWarehouses(int count, int maxWeight) {
        this.weight = new int[count];
        this.occupied = new boolean[count + 1];
        this.maxWeight = maxWeight;
    }

    public synchronized void enter(int n, int w) throws InterruptedException {
        while (weight[n] + w > maxWeight) {
            wait();
        }
        weight[n] += w;
        occupied[n] = false;
        notifyAll();
    }

    public synchronized void exit(int n, int w) throws InterruptedException {
        while (n + 1 < weight.length && occupied[n + 1]) {
            wait();
        }
        weight[n] -= w;
        if (n + 1 < weight.length) {
            occupied[n + 1] = true;
        }
        notifyAll();
    }
}
