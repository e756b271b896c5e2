/** A row of warehouses with a gate at the end of each corridor, written as a monitor. */
public class GateWarehouses {
    private final int count;
    private final int maxWeight;
    private final int[] load;
    private final boolean[] corridorBusy;

    public GateWarehouses(int count, int maxWeight) {
        this.count = count;
        this.maxWeight = maxWeight;
        this.load = new int[count];
        this.corridorBusy = new boolean[count];
    }

    public synchronized void enter(int n, int weight) throws InterruptedException {
        if (n > 0) {
            leaveCorridor(n);
        }
        while (load[n] + weight > maxWeight) {
            wait();
        }
        load[n] += weight;
    }

    public synchronized void exit(int n, int weight) throws InterruptedException {
        if (n < count - 1) {
            takeCorridor(n + 1);
        }
        load[n] -= weight;
        notifyAll();
    }

    private void leaveCorridor(int n) {
        corridorBusy[n] = false;
        notifyAll();
    }

    private void takeCorridor(int n) throws InterruptedException {
        while (corridorBusy[n]) {
            wait();
        }
        corridorBusy[n] = true;
    }
}
