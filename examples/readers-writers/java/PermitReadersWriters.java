/** Readers and writers with semaphores: one as mutex and a private one for each who has to wait. */
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Semaphore;

public class PermitReadersWriters {
    private record Waiting(boolean reader, Semaphore go) {
    }

    private final Semaphore mutex = new Semaphore(1);
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private int readers = 0;
    private int writers = 0;

    public PermitReadersWriters() {
    }

    public void beforeRead() throws InterruptedException {
        mutex.acquire();
        if (waiting.isEmpty() && writers == 0) {
            readers++;
            mutex.release();
        } else {
            queueUp(true);
        }
    }

    public void beforeWrite() throws InterruptedException {
        mutex.acquire();
        if (waiting.isEmpty() && writers == 0 && readers == 0) {
            writers++;
            mutex.release();
        } else {
            queueUp(false);
        }
    }

    public void afterRead() {
        mutex.acquireUninterruptibly();
        readers--;
        if (readers == 0) {
            startNext();
        }
        mutex.release();
    }

    public void afterWrite() {
        mutex.acquireUninterruptibly();
        writers--;
        startNext();
        mutex.release();
    }

    /** Called with the mutex, which is given back. */
    private void queueUp(boolean reader) throws InterruptedException {
        Waiting me = new Waiting(reader, new Semaphore(0));
        waiting.add(me);
        mutex.release();
        me.go.acquire();
    }

    /** Called with the mutex when the room is empty. */
    private void startNext() {
        Waiting next = waiting.poll();
        if (next == null) {
            return;
        }
        if (next.reader) {
            readers++;
        } else {
            writers++;
        }
        next.go.release();
    }
}
