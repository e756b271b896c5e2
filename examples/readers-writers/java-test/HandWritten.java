/** A few tests by hand for the readers-writers; the arguments are the names of the classes to test. */
import java.lang.reflect.InvocationTargetException;

public class HandWritten {
    private static final long LIMIT_MILLIS = 5_000;

    interface Call {
        void run() throws Exception;
    }

    /** A readers-writers object of a class that is only known by its name. */
    static class ReadersWriters {
        private final Object object;

        ReadersWriters(String className) throws Exception {
            object = Class.forName(className).getConstructor().newInstance();
        }

        private void call(String method) throws Exception {
            try {
                object.getClass().getMethod(method).invoke(object);
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(method + " failed", e.getCause());
            }
        }

        void beforeRead() throws Exception {
            call("beforeRead");
        }

        void afterRead() throws Exception {
            call("afterRead");
        }

        void beforeWrite() throws Exception {
            call("beforeWrite");
        }

        void afterWrite() throws Exception {
            call("afterWrite");
        }
    }

    static class Background {
        private final String what;
        private final Thread thread;
        private volatile Exception failure;

        Background(String what, Call call) {
            this.what = what;
            this.thread = new Thread(() -> {
                try {
                    call.run();
                } catch (Exception e) {
                    failure = e;
                }
            }, what);
            thread.setDaemon(true);
            thread.start();
        }

        void expectBlocked() throws Exception {
            long end = System.currentTimeMillis() + LIMIT_MILLIS;
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.BLOCKED) {
                if (!thread.isAlive() || System.currentTimeMillis() > end) {
                    throw new AssertionError(what + ": should be blocked");
                }
                Thread.sleep(1);
            }
            thread.join(30); // and it stays so
            if (!thread.isAlive()) {
                throw new AssertionError(what + ": should still be blocked");
            }
        }

        void expectEnded() throws Exception {
            thread.join(LIMIT_MILLIS);
            if (thread.isAlive()) {
                throw new AssertionError(what + ": should have ended");
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    static void oneAfterTheOther(String name) throws Exception {
        ReadersWriters rw = new ReadersWriters(name);
        new Background("one after the other", () -> {
            rw.beforeRead();
            rw.afterRead();
            rw.beforeWrite();
            rw.afterWrite();
            rw.beforeRead();
            rw.afterRead();
        }).expectEnded();
    }

    static void twoReadersAtOnce(String name) throws Exception {
        ReadersWriters rw = new ReadersWriters(name);
        new Background("two readers", () -> {
            rw.beforeRead();
            rw.beforeRead();
            rw.afterRead();
            rw.afterRead();
            rw.beforeWrite();
        }).expectEnded();
    }

    static void readerWaitsForWriter(String name) throws Exception {
        ReadersWriters rw = new ReadersWriters(name);
        rw.beforeWrite();
        Background reader = new Background("beforeRead", rw::beforeRead);
        reader.expectBlocked();
        rw.afterWrite();
        reader.expectEnded();
        rw.afterRead();
    }

    static void writerWaitsForReader(String name) throws Exception {
        ReadersWriters rw = new ReadersWriters(name);
        rw.beforeRead();
        Background writer = new Background("beforeWrite", rw::beforeWrite);
        writer.expectBlocked();
        rw.afterRead();
        writer.expectEnded();
        rw.afterWrite();
    }

    static void writerWaitsForWriter(String name) throws Exception {
        ReadersWriters rw = new ReadersWriters(name);
        rw.beforeWrite();
        Background writer = new Background("second beforeWrite", rw::beforeWrite);
        writer.expectBlocked();
        rw.afterWrite();
        writer.expectEnded();
        rw.afterWrite();
    }

    public static void main(String[] names) {
        boolean allOk = true;
        for (String name : names) {
            try {
                oneAfterTheOther(name);
                twoReadersAtOnce(name);
                readerWaitsForWriter(name);
                writerWaitsForReader(name);
                writerWaitsForWriter(name);
                System.out.println(name + " ok");
            } catch (Exception | AssertionError e) {
                System.out.println(name + " FAILED: " + e);
                allOk = false;
            }
        }
        System.exit(allOk ? 0 : 1);
    }
}
