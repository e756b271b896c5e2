/** A row of warehouses where every waiting robot has its own condition and is moved by whoever makes room for it. */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class QueuedWarehouses {
    private final ReentrantLock lock = new ReentrantLock();
    private final int maxWeight;
    private final int[] weights;
    private final boolean[] occupied;
    private final List<Move> pending = new ArrayList<>();

    /** A call that was made and has not had its effect yet. */
    private abstract class Move {
        final int n;
        final int weight;
        final Condition finished = lock.newCondition();
        boolean done = false;

        Move(int n, int weight) {
            this.n = n;
            this.weight = weight;
        }

        abstract boolean possible();

        abstract void perform();
    }

    private class Entry extends Move {
        Entry(int n, int weight) {
            super(n, weight);
        }

        @Override
        boolean possible() {
            return weights[n] + weight <= maxWeight;
        }

        @Override
        void perform() {
            weights[n] += weight;
            if (n > 0) {
                occupied[n] = false;
            }
        }
    }

    private class Departure extends Move {
        Departure(int n, int weight) {
            super(n, weight);
        }

        private boolean hasCorridor() {
            return n + 1 < weights.length;
        }

        @Override
        boolean possible() {
            return !hasCorridor() || !occupied[n + 1];
        }

        @Override
        void perform() {
            weights[n] -= weight;
            if (hasCorridor()) {
                occupied[n + 1] = true;
            }
        }
    }

    public QueuedWarehouses(int count, int maxWeight) {
        this.maxWeight = maxWeight;
        this.weights = new int[count];
        this.occupied = new boolean[count];
    }

    public void enter(int n, int weight) throws InterruptedException {
        execute(new Entry(n, weight));
    }

    public void exit(int n, int weight) throws InterruptedException {
        execute(new Departure(n, weight));
    }

    private void execute(Move move) throws InterruptedException {
        lock.lock();
        try {
            pending.add(move);
            performPossible();
            while (!move.done) {
                move.finished.await();
            }
        } finally {
            pending.remove(move);
            lock.unlock();
        }
    }

    /** Performs pending moves, one after the other, until none of them is possible. */
    private void performPossible() {
        Move next = firstPossible();
        while (next != null) {
            pending.remove(next);
            next.perform();
            next.done = true;
            next.finished.signal();
            next = firstPossible();
        }
    }

    private Move firstPossible() {
        for (Move move : pending) {
            if (move.possible()) {
                return move;
            }
        }
        return null;
    }
}
