/** A few tests by hand for the warehouses; the arguments are the names of the classes to test. */
import java.lang.reflect.InvocationTargetException;

public class HandWritten {
    private static final long LIMIT_MILLIS = 5_000;

    interface Call {
        void run() throws Exception;
    }

    /** A warehouses object of a class that is only known by its name. */
    static class Warehouses {
        private final Object object;

        Warehouses(String className, int count, int maxWeight) throws Exception {
            object = Class.forName(className).getConstructor(int.class, int.class).newInstance(count, maxWeight);
        }

        private void call(String method, int n, int weight) throws Exception {
            try {
                object.getClass().getMethod(method, int.class, int.class).invoke(object, n, weight);
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(method + " failed", e.getCause());
            }
        }

        void enter(int n, int weight) throws Exception {
            call("enter", n, weight);
        }

        void exit(int n, int weight) throws Exception {
            call("exit", n, weight);
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

    static void oneRobotGoesThrough(String name) throws Exception {
        Warehouses w = new Warehouses(name, 3, 10);
        new Background("one robot", () -> {
            for (int n = 0; n < 3; n++) {
                w.enter(n, 4);
                w.exit(n, 4);
            }
        }).expectEnded();
    }

    static void twoRobotsInOneWarehouse(String name) throws Exception {
        Warehouses w = new Warehouses(name, 3, 10);
        new Background("two robots", () -> {
            w.enter(0, 4);
            w.enter(0, 5);
            w.exit(0, 4);
            w.enter(1, 4);
            w.exit(0, 5);
            w.enter(1, 5);
        }).expectEnded();
    }

    static void enterWaitsForSpace(String name) throws Exception {
        Warehouses w = new Warehouses(name, 3, 10);
        w.enter(0, 6);
        Background second = new Background("enter(0, 6)", () -> w.enter(0, 6));
        second.expectBlocked();
        w.exit(0, 6);
        second.expectEnded();
    }

    static void exitWaitsForCorridor(String name) throws Exception {
        Warehouses w = new Warehouses(name, 3, 10);
        w.enter(0, 4);
        w.exit(0, 4);
        w.enter(0, 3);
        Background second = new Background("exit(0, 3)", () -> w.exit(0, 3));
        second.expectBlocked();
        w.enter(1, 4);
        second.expectEnded();
    }

    public static void main(String[] names) {
        boolean allOk = true;
        for (String name : names) {
            try {
                oneRobotGoesThrough(name);
                twoRobotsInOneWarehouse(name);
                enterWaitsForSpace(name);
                exitWaitsForCorridor(name);
                System.out.println(name + " ok");
            } catch (Exception | AssertionError e) {
                System.out.println(name + " FAILED: " + e);
                allOk = false;
            }
        }
        System.exit(allOk ? 0 : 1);
    }
}
