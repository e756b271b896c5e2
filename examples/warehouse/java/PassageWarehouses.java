/** A row of warehouses with passages before, between and after them; one condition for space, one for passages. */
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class PassageWarehouses {
    private final Lock lock = new ReentrantLock();
    private final Condition spaceChanged = lock.newCondition();
    private final Condition passageFreed = lock.newCondition();
    private final int maxWeight;
    private final int[] stored;
    private final boolean[] passageUsed; // warehouse n lies between the passages n and n + 1

    public PassageWarehouses(int count, int maxWeight) {
        this.maxWeight = maxWeight;
        this.stored = new int[count];
        this.passageUsed = new boolean[count + 1];
    }

    public void enter(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            while (stored[n] + weight > maxWeight) {
                spaceChanged.await();
            }
            stored[n] += weight;
            passageUsed[n] = false;
            passageFreed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void exit(int n, int weight) throws InterruptedException {
        lock.lock();
        try {
            while (passageUsed[n + 1]) {
                passageFreed.await();
            }
            passageUsed[n + 1] = true;
            stored[n] -= weight;
            spaceChanged.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
