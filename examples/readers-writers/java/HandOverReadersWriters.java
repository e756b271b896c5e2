/** Readers and writers with a queue; whoever leaves hands the room over to the head of the queue. */
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class HandOverReadersWriters {
    private class Visitor {
        final boolean writer;
        final Condition turn = lock.newCondition();
        boolean admitted = false;

        Visitor(boolean writer) {
            this.writer = writer;
        }

        void admit() {
            admitted = true;
            turn.signal();
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Visitor> queue = new ArrayDeque<>();
    private int readers = 0;
    private boolean writing = false;

    public HandOverReadersWriters() {
    }

    public void beforeRead() throws InterruptedException {
        visit(new Visitor(false));
    }

    public void beforeWrite() throws InterruptedException {
        visit(new Visitor(true));
    }

    public void afterRead() {
        lock.lock();
        try {
            readers--;
            handOver();
        } finally {
            lock.unlock();
        }
    }

    public void afterWrite() {
        lock.lock();
        try {
            writing = false;
            handOver();
        } finally {
            lock.unlock();
        }
    }

    private void visit(Visitor visitor) throws InterruptedException {
        lock.lock();
        try {
            queue.add(visitor);
            handOver();
            while (!visitor.admitted) {
                visitor.turn.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets the next writer in if nobody is inside, or the next readers if no writer is inside. */
    private void handOver() {
        if (queue.isEmpty() || writing) {
            return;
        }
        if (queue.peek().writer) {
            if (readers == 0) {
                writing = true;
                queue.remove().admit();
            }
        } else {
            readers++;
            while (!queue.isEmpty() && !queue.peek().writer) {
                queue.remove().admit();
            }
        }
    }
}
