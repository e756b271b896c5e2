/** A row of warehouses; each of them keeps a manifest with the weights of the robots that are inside. */
import java.util.ArrayList;
import java.util.List;

public class ManifestWarehouses {
    private final int maxWeight;
    private final List<List<Integer>> manifests = new ArrayList<>();
    private final boolean[] corridorTaken;

    public ManifestWarehouses(int count, int maxWeight) {
        this.maxWeight = maxWeight;
        this.corridorTaken = new boolean[count];
        for (int n = 0; n < count; n++) {
            manifests.add(new ArrayList<>());
        }
    }

    public void enter(int n, int weight) throws InterruptedException {
        awaitSpace(n, weight);
        checkIn(n, weight);
    }

    public void exit(int n, int weight) throws InterruptedException {
        if (n < manifests.size() - 1) {
            awaitCorridor(n + 1);
        }
        checkOut(n, weight);
    }

    private synchronized void awaitSpace(int n, int weight) throws InterruptedException {
        while (totalWeight(n) + weight > maxWeight) {
            wait();
        }
    }

    private synchronized void awaitCorridor(int n) throws InterruptedException {
        while (corridorTaken[n]) {
            wait();
        }
    }

    private synchronized void checkIn(int n, int weight) {
        manifests.get(n).add(weight);
        if (n > 0) {
            corridorTaken[n] = false;
        }
        notifyAll();
    }

    private synchronized void checkOut(int n, int weight) {
        manifests.get(n).remove(Integer.valueOf(weight));
        if (n < manifests.size() - 1) {
            corridorTaken[n + 1] = true;
        }
        notifyAll();
    }

    private int totalWeight(int n) {
        int total = 0;
        for (int weight : manifests.get(n)) {
            total += weight;
        }
        return total;
    }
}
