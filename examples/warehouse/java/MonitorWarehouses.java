/** A row of warehouses as a plain monitor: everybody is woken up after each change and looks again. */
public class MonitorWarehouses {
    private final int maxWeight;
    private final int[] weights;
    private final boolean[] occupied; // occupied[n]: the corridor that leads to warehouse n

    public MonitorWarehouses(int count, int maxWeight) {
        this.maxWeight = maxWeight;
        this.weights = new int[count];
        this.occupied = new boolean[count];
    }

    public synchronized void enter(int n, int weight) throws InterruptedException {
        while (weights[n] + weight > maxWeight) {
            wait();
        }
        weights[n] += weight;
        if (n > 0) {
            occupied[n] = false;
        }
        notifyAll();
    }

    public synchronized void exit(int n, int weight) throws InterruptedException {
        boolean last = n == weights.length - 1;
        while (!last && occupied[n + 1]) {
            wait();
        }
        weights[n] -= weight;
        if (!last) {
            occupied[n + 1] = true;
        }
        notifyAll();
    }
}
