/** Readers and writers with a fair lock; a reader also waits for the writers who are already waiting. */
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class FairReadersWriters {
    private final Lock lock = new ReentrantLock(true);
    private final Condition mayRead = lock.newCondition();
    private final Condition mayWrite = lock.newCondition();
    private int readers = 0;
    private int waitingWriters = 0;
    private boolean writing = false;

    public FairReadersWriters() {
    }

    public void beforeRead() throws InterruptedException {
        lock.lock();
        try {
            while (writing || waitingWriters > 0) {
                mayRead.await();
            }
            readers++;
        } finally {
            lock.unlock();
        }
    }

    public void afterRead() {
        lock.lock();
        try {
            readers--;
            if (readers == 0) {
                mayWrite.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    public void beforeWrite() throws InterruptedException {
        lock.lock();
        try {
            waitingWriters++;
            while (writing || readers > 0) {
                mayWrite.await();
            }
            waitingWriters--;
            writing = true;
        } finally {
            lock.unlock();
        }
    }

    public void afterWrite() {
        lock.lock();
        try {
            writing = false;
            if (waitingWriters > 0) {
                mayWrite.signal();
            } else {
                mayRead.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
