/** A row of warehouses with one lock for each warehouse and each corridor, so that distant robots do not wait for each other. */
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class SnapshotWarehouses {
    /** One warehouse; the list of the weights inside is immutable and gets replaced as a whole. */
    private static class Room {
        private final int maxWeight;
        private volatile List<Integer> inside = List.of();

        Room(int maxWeight) {
            this.maxWeight = maxWeight;
        }

        synchronized void add(int weight) throws InterruptedException {
            while (total() + weight > maxWeight) {
                wait();
            }
            List<Integer> more = new ArrayList<>(inside);
            more.add(weight);
            inside = List.copyOf(more);
        }

        void remove(int weight) {
            List<Integer> fewer = new ArrayList<>(inside);
            fewer.remove(Integer.valueOf(weight));
            inside = List.copyOf(fewer);
            spaceFreed();
        }

        private int total() {
            return inside.stream().mapToInt(Integer::intValue).sum();
        }

        private synchronized void spaceFreed() {
            notifyAll();
        }
    }

    private static class Corridor {
        private boolean occupied = false;

        synchronized void occupy() throws InterruptedException {
            while (occupied) {
                wait();
            }
            occupied = true;
        }

        synchronized void free() {
            occupied = false;
            notify();
        }
    }

    private final Room[] rooms;
    private final Corridor[] corridors; // corridors[n] connects n and n + 1

    public SnapshotWarehouses(int count, int maxWeight) {
        rooms = new Room[count];
        Arrays.setAll(rooms, n -> new Room(maxWeight));
        corridors = new Corridor[count - 1];
        Arrays.setAll(corridors, n -> new Corridor());
    }

    public void enter(int n, int weight) throws InterruptedException {
        rooms[n].add(weight);
        if (n > 0) {
            corridors[n - 1].free();
        }
    }

    public void exit(int n, int weight) throws InterruptedException {
        if (n < corridors.length) {
            corridors[n].occupy();
        }
        rooms[n].remove(weight);
    }
}
