/**
 * A count that does not fall below zero, as a process that serves one request after the other: channels on `synchronized`, `wait` and
 * `notify`, and an alternation with guards, in the manner of JCSP.
 */
public class CspCount implements Runnable {
    private static final int UP = 0;
    private static final int DOWN = 1;

    private final Alternative alternative = new Alternative();
    private final Channel<Request> ups = new Channel<>(alternative);
    private final Channel<Request> downs = new Channel<>(alternative);

    public CspCount() {
        Thread server = new Thread(this);
        server.setDaemon(true);
        server.start();
    }

    @Override
    public void run() {
        int count = 0;
        while (true) {
            boolean[] guards = {true, count > 0};
            switch (alternative.select(new Channel<?>[] {ups, downs}, guards)) {
                case UP -> {
                    Request request = ups.read();
                    int before = count;
                    count += request.by;
                    request.answer.write(before);
                }
                case DOWN -> downs.read().answer.write(count--);
                default -> throw new AssertionError();
            }
        }
    }

    public int up(int by) {
        return asked(ups, by);
    }

    public int down() {
        return asked(downs, 0);
    }

    private static int asked(Channel<Request> channel, int by) {
        Request request = new Request(by);
        channel.write(request);
        return request.answer.read();
    }

    /** What a client wants, and where it waits for the answer. */
    private record Request(int by, Channel<Integer> answer) {
        Request(int by) {
            this(by, new Channel<>(null));
        }
    }

    /** Any number of writers, one reader; nobody goes on before the other is there. */
    private static final class Channel<T> {
        private final Object writers = new Object();
        private final Object both = new Object();
        private final Alternative alternative;
        private T held;
        private boolean isEmpty = true;

        Channel(Alternative alternative) {
            this.alternative = alternative;
        }

        void write(T value) {
            synchronized (writers) {
                synchronized (both) {
                    held = value;
                    if (isEmpty) {
                        isEmpty = false;
                        if (alternative != null) {
                            alternative.wake();
                        }
                    } else {
                        isEmpty = true;
                        both.notify();
                    }
                    await(both);
                }
            }
        }

        T read() {
            synchronized (both) {
                if (isEmpty) {
                    isEmpty = false;
                    await(both);
                } else {
                    isEmpty = true;
                }
                both.notify();
                return held;
            }
        }

        boolean isPending() {
            synchronized (both) {
                return !isEmpty;
            }
        }
    }

    /** Waits until one of several channels has a writer. */
    private static final class Alternative {
        private boolean isWoken;

        int select(Channel<?>[] channels, boolean[] guards) {
            while (true) {
                synchronized (this) {
                    isWoken = false;
                }
                for (int place = 0; place < channels.length; place++) {
                    if (guards[place] && channels[place].isPending()) {
                        return place;
                    }
                }
                synchronized (this) {
                    while (!isWoken) {
                        CspCount.await(this);
                    }
                }
            }
        }

        synchronized void wake() {
            isWoken = true;
            notify();
        }
    }

    private static void await(Object monitor) {
        try {
            monitor.wait();
        } catch (InterruptedException interrupted) {
            throw new Error("*** Thrown from a channel", interrupted);
        }
    }
}
