/** A row of warehouses with one lock and, for each warehouse, a condition for the robots that want to get in or out. */
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class ConditionWarehouses {
    private final ReentrantLock lock = new ReentrantLock();
    private final int count;
    private final int maxWeight;
    private final int[] weightInside;
    private final boolean[] robotInCorridor;
    private final Condition[] changed;

    public ConditionWarehouses(int count, int maxWeight) {
        this.count = count;
        this.maxWeight = maxWeight;
        this.weightInside = new int[count];
        this.robotInCorridor = new boolean[count];
        this.changed = new Condition[count];
        for (int n = 0; n < count; n++) {
            changed[n] = lock.newCondition();
        }
    }

    public void enter(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            while (weightInside[n] + weight > maxWeight) {
                changed[n].await();
            }
            weightInside[n] += weight;
            changed[n].signal(); // there may be space for one more
            if (n > 0) {
                robotInCorridor[n] = false;
                changed[n - 1].signal();
            }
        } finally {
            lock.unlock();
        }
    }

    public void exit(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            if (n < count - 1) {
                while (robotInCorridor[n + 1]) {
                    changed[n].await();
                }
                robotInCorridor[n + 1] = true;
            }
            weightInside[n] -= weight;
            changed[n].signal();
        } finally {
            lock.unlock();
        }
    }
}
