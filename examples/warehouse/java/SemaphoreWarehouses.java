/** A row of warehouses made of semaphores: a permit per unit of weight in a warehouse, one permit per corridor. */
import java.util.concurrent.Semaphore;

public class SemaphoreWarehouses {
    private final Semaphore[] space;
    private final Semaphore[] corridor; // corridor[n] leads to warehouse n; corridor[0] does not exist

    public SemaphoreWarehouses(int count, int maxWeight) {
        space = new Semaphore[count];
        corridor = new Semaphore[count];
        for (int n = 0; n < count; n++) {
            space[n] = new Semaphore(maxWeight);
            if (n > 0) {
                corridor[n] = new Semaphore(1);
            }
        }
    }

    public void enter(int n, int weight) throws InterruptedException {
        space[n].acquire(weight);
        if (n > 0) {
            corridor[n].release();
        }
    }

    public void exit(int n, int weight) throws InterruptedException {
        if (n + 1 < corridor.length) {
            corridor[n + 1].acquire();
        }
        space[n].release(weight);
    }
}
