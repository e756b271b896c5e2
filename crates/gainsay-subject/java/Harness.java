import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes objects and calls their methods, each call on a thread of its own, as lines of JSON on the standard input ask for it. What
 * comes of the calls is said on the standard output; whatever the objects print goes to the standard error.
 */
public final class Harness {
    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
    /** The threads that were there before the first object was. */
    private static final Set<Thread> STRANGERS = new HashSet<>();
    private static final Map<Integer, Worker> WORKERS = new ConcurrentHashMap<>();
    /** Workers in calls that did not end when their object did. */
    private static final List<Worker> LEFT = new ArrayList<>();

    /** Where others can read which calls are being made. */
    private static ByteBuffer COUNTERS;
    private static final VarHandle COUNTER =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private static volatile Object subject;
    private static volatile Class<?> type;
    private static final Map<String, Method[]> METHODS = new HashMap<>();

    private Harness() {}

    public static void main(String[] given) throws IOException {
        System.setOut(System.err);
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        String counters = System.getenv("GAINSAY_COUNTERS");
        if (counters != null) {
            try (FileChannel file = FileChannel.open(Path.of(counters), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                COUNTERS = file.map(FileChannel.MapMode.READ_WRITE, 0, file.size());
            }
        }
        STRANGERS.addAll(all());
        say("{\"hello\":\"gainsay subject 1\"" + (COUNTERS == null ? "" : ",\"counters\":true") + "}");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                obey(Json.object(new Json(line).read()));
            } catch (RuntimeException problem) {
                say("{\"error\":" + Json.write(problem + " in the line " + line) + "}");
            }
        }
        // Whoever asked is gone; threads that wait must not keep this process.
        Runtime.getRuntime().halt(0);
    }

    private static void obey(Map<String, Object> request) {
        switch (String.valueOf(request.get("do"))) {
            case "new" -> make(request);
            case "call" -> call(Json.array(request.get("calls")));
            case "threads" -> threads();
            case "end" -> end();
            default -> throw new IllegalArgumentException("nobody knows how to do this");
        }
    }

    /** One line, whole. */
    private static synchronized void say(String line) {
        try {
            OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            OUT.flush();
        } catch (IOException gone) {
            Runtime.getRuntime().halt(0);
        }
    }

    private static Worker worker(int number) {
        Worker known = WORKERS.get(number);
        if (known != null) {
            return known;
        }
        Worker worker = new Worker(number);
        WORKERS.put(number, worker);
        worker.start();
        return worker;
    }

    private static void make(Map<String, Object> request) {
        String name = String.valueOf(request.get("class"));
        List<Object> arguments = Json.array(request.get("arguments"));
        worker(Json.number(request.get("worker"))).give(Harness.NEW, null, () -> {
            try {
                Class<?> wanted = Class.forName(name);
                Constructor<?> constructor = fitting(wanted.getDeclaredConstructors(), arguments, name);
                constructor.setAccessible(true);
                Object made = constructor.newInstance(converted(constructor, arguments));
                type = wanted;
                subject = made;
                synchronized (METHODS) {
                    METHODS.clear();
                }
                return "{\"made\":true";
            } catch (ClassNotFoundException | Unfit problem) {
                String message = problem instanceof Unfit ? problem.getMessage() : "there is no class " + name;
                return "{\"error\":" + Json.write(message);
            } catch (InvocationTargetException problem) {
                return "{\"broken\":" + Json.write(told(problem.getCause()));
            } catch (Throwable problem) {
                return "{\"broken\":" + Json.write(told(problem));
            }
        });
    }

    private static void call(List<Object> calls) {
        AtomicInteger gate = new AtomicInteger(calls.size());
        for (Object each : calls) {
            Map<String, Object> call = Json.object(each);
            int number = Json.number(call.get("number"));
            String name = String.valueOf(call.get("method"));
            List<Object> arguments = Json.array(call.get("arguments"));
            Object target = subject;
            Worker worker = worker(Json.number(call.get("worker")));
            Method method;
            Object[] converted;
            try {
                method = method(name, arguments);
                converted = converted(method, arguments);
            } catch (Unfit problem) {
                gate.decrementAndGet();
                say("{\"error\":" + Json.write(problem.getMessage()) + "}");
                continue;
            }
            worker.give(number, gate, () -> {
                try {
                    Object value = method.invoke(target, converted);
                    return "{\"returned\":" + number + ",\"value\":" + Json.write(value);
                } catch (InvocationTargetException problem) {
                    return "{\"threw\":" + number + ",\"message\":" + Json.write(told(problem.getCause()));
                } catch (Throwable problem) {
                    return "{\"threw\":" + number + ",\"message\":" + Json.write(told(problem));
                }
            });
        }
    }

    private static String told(Throwable problem) {
        String what;
        try {
            what = problem.toString();
            if (problem instanceof LinkageError && problem.getCause() != null) {
                what += ": " + problem.getCause();
            }
        } catch (Throwable another) {
            what = problem.getClass().getName();
        }
        StackTraceElement[] trace = problem.getStackTrace();
        return what + (trace.length > 0 ? " at " + trace[0] : "");
    }

    /** Which calls are being made, and what the threads of the subject do. */
    private static void threads() {
        StringBuilder line = new StringBuilder("{\"inside\":[");
        int timed = 0;
        String comma = "";
        for (Worker worker : WORKERS.values()) {
            int number = worker.inside;
            if (number != NONE) {
                line.append(comma).append(number);
                comma = ",";
                if (worker.getState() == Thread.State.TIMED_WAITING) {
                    timed++;
                }
            }
        }
        for (Thread thread : others()) {
            if (thread.getState() == Thread.State.TIMED_WAITING && !idles(thread)) {
                timed++;
            }
        }
        say(line.append("],\"timed\":").append(timed).append("}").toString());
    }

    /** The threads that objects have started. */
    private static List<Thread> others() {
        List<Thread> others = all();
        others.removeIf(thread -> thread instanceof Worker || STRANGERS.contains(thread)
                || thread.getName().startsWith("bystander"));
        return others;
    }

    private static List<Thread> all() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[root.activeCount() + 64];
        int count = root.enumerate(all);
        return new ArrayList<>(Arrays.asList(all).subList(0, count));
    }

    /** Whether a thread of a pool waits for work, but not for ever. */
    private static boolean idles(Thread thread) {
        boolean idles = false;
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith("DelayedWorkQueue")) {
                // It may wait for the hour of its next work.
                return false;
            }
            String place = frame.getClassName() + "." + frame.getMethodName();
            idles |= place.equals("java.util.concurrent.ThreadPoolExecutor.getTask")
                    || place.equals("java.util.concurrent.ForkJoinPool.awaitWork");
        }
        return idles;
    }

    /** Whether a thread does nothing, and will not unless somebody wants it to. */
    private static boolean rests(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, BLOCKED, TERMINATED -> true;
            case TIMED_WAITING -> idles(thread);
            default -> false;
        };
    }

    /** Forgets the object. Threads that still wait are interrupted; those that do not return then are left. */
    private static void end() {
        subject = null;
        List<Worker> busy = new ArrayList<>();
        for (Worker worker : WORKERS.values()) {
            if (worker.inside != NONE) {
                worker.isForgotten = true;
                worker.interrupt();
                busy.add(worker);
            }
        }
        // (Other threads are not interrupted: they may serve other objects too.)
        List<Thread> others = others();
        List<Integer> gone = new ArrayList<>();
        long limit = System.nanoTime() + 10_000_000L;
        // (Whoever gets a lock that somebody has just left is shown as waiting for a moment.)
        for (long moved = System.nanoTime(), now = moved; now < limit && now - moved < STUCK; now = System.nanoTime()) {
            moved = areStuck(busy) ? moved : now;
            Thread.yield();
        }
        for (Worker worker : busy) {
            if (worker.isLeft()) {
                WORKERS.remove(worker.number);
                LEFT.add(worker);
                gone.add(worker.number);
                others.add(worker);
            }
        }
        others.removeIf(other -> {
            while (!rests(other) && System.nanoTime() < limit) {
                Thread.yield();
            }
            return rests(other);
        });
        LEFT.removeIf(worker -> !worker.isAlive());
        int left = LEFT.size() + others().size();
        say("{\"ended\":true,\"left\":" + left + ",\"busy\":" + others.size() + ",\"gone\":" + Json.write(gone) + "}");
    }

    /** So many nanoseconds workers are watched before they count as stuck. */
    private static final long STUCK = 300_000;

    /** Whether all these have returned, or wait again although they were interrupted. */
    private static boolean areStuck(List<Worker> busy) {
        for (Worker worker : busy) {
            if (worker.inside == NONE) {
                continue;
            }
            // (Who was interrupted in a wait is told so, and no more than once. Who waits for a lock is not.)
            boolean isStuck = switch (worker.getState()) {
                case WAITING -> !worker.isInterrupted();
                case BLOCKED -> true;
                default -> false;
            };
            if (!isStuck) {
                return false;
            }
        }
        return true;
    }

    private static Method method(String name, List<Object> arguments) throws Unfit {
        Method[] known;
        synchronized (METHODS) {
            known = METHODS.get(name);
            if (known == null) {
                List<Method> found = new ArrayList<>();
                for (Class<?> place = type; place != null && place != Object.class; place = place.getSuperclass()) {
                    for (Method method : place.getDeclaredMethods()) {
                        // (A bridge takes everything that its superclass does, and the method behind it does not.)
                        boolean isReal = !Modifier.isAbstract(method.getModifiers()) && !method.isBridge();
                        if (isReal && method.getName().equals(name)) {
                            method.setAccessible(true);
                            found.add(method);
                        }
                    }
                }
                known = found.toArray(new Method[0]);
                METHODS.put(name, known);
            }
        }
        return fitting(known, arguments, (type == null ? "" : type.getName() + ".") + name);
    }

    /** The first of these that takes such arguments. */
    private static <E extends Executable> E fitting(E[] all, List<Object> arguments, String name) throws Unfit {
        for (E each : all) {
            Class<?>[] types = each.getParameterTypes();
            if (types.length != arguments.size()) {
                continue;
            }
            boolean fits = true;
            for (int place = 0; place < types.length; place++) {
                fits &= fits(types[place], arguments.get(place));
            }
            if (fits) {
                return each;
            }
        }
        StringBuilder given = new StringBuilder();
        for (Object argument : arguments) {
            given.append(given.length() == 0 ? "" : ", ").append(Json.write(argument));
        }
        throw new Unfit("nothing called " + name + " takes (" + given + ")");
    }

    private static boolean fits(Class<?> wanted, Object given) {
        if (given == null) {
            return !wanted.isPrimitive();
        }
        if (given instanceof Number number) {
            boolean isWhole = given instanceof Long;
            return wanted == double.class || wanted == float.class || wanted == Object.class
                    || wanted == Double.class || wanted == Float.class || wanted == Number.class
                    || isWhole && (wanted == int.class || wanted == long.class || wanted == short.class
                            || wanted == byte.class || wanted == Integer.class || wanted == Long.class
                            || wanted == Short.class || wanted == Byte.class);
        }
        if (given instanceof Boolean) {
            return wanted == boolean.class || wanted == Boolean.class || wanted == Object.class;
        }
        if (given instanceof String text) {
            return wanted.isAssignableFrom(String.class) || wanted.isEnum()
                    || text.length() == 1 && (wanted == char.class || wanted == Character.class);
        }
        return given instanceof List && (wanted.isArray() || wanted.isAssignableFrom(ArrayList.class))
                || given instanceof Map && wanted.isAssignableFrom(LinkedHashMap.class);
    }

    private static Object[] converted(Executable to, List<Object> arguments) throws Unfit {
        Class<?>[] types = to.getParameterTypes();
        Object[] converted = new Object[types.length];
        for (int place = 0; place < types.length; place++) {
            converted[place] = converted(types[place], arguments.get(place));
        }
        return converted;
    }

    private static Object converted(Class<?> wanted, Object given) throws Unfit {
        if (given instanceof Number number) {
            if (wanted == int.class || wanted == Integer.class) return number.intValue();
            if (wanted == long.class || wanted == Long.class) return number.longValue();
            if (wanted == short.class || wanted == Short.class) return number.shortValue();
            if (wanted == byte.class || wanted == Byte.class) return number.byteValue();
            if (wanted == double.class || wanted == Double.class) return number.doubleValue();
            if (wanted == float.class || wanted == Float.class) return number.floatValue();
            return number;
        }
        if (given instanceof String text) {
            if (wanted == char.class || wanted == Character.class) return text.charAt(0);
            if (wanted.isEnum()) {
                for (Object constant : wanted.getEnumConstants()) {
                    if (((Enum<?>) constant).name().equals(text)) return constant;
                }
                throw new Unfit(wanted.getName() + " has no constant " + text);
            }
        }
        if (given instanceof List<?> list && wanted.isArray()) {
            Object array = Array.newInstance(wanted.getComponentType(), list.size());
            for (int place = 0; place < list.size(); place++) {
                Array.set(array, place, converted(wanted.getComponentType(), list.get(place)));
            }
            return array;
        }
        return given;
    }

    private static final int NONE = -1;
    private static final int NEW = -2;

    private interface Job {
        /** What is to be said of it: the line, as far as its end. */
        String run();
    }

    private static final class Worker extends Thread {
        private final int number;
        private volatile Job job;
        private volatile int next;
        private volatile AtomicInteger gate;
        /** The call that is being made. */
        private volatile int inside = NONE;
        /** The object of the call is not there any more. */
        private volatile boolean isForgotten;
        /** Another worker has taken the place of this one. */
        private volatile boolean isOver;

        Worker(int number) {
            super("worker " + number);
            this.number = number;
            setDaemon(true);
        }

        void give(int call, AtomicInteger gate, Job job) {
            isForgotten = false;
            this.next = call;
            this.gate = gate;
            this.job = job;
            LockSupport.unpark(this);
        }

        @Override
        public void run() {
            String link = "/proc/thread-self";
            try {
                String id = Files.readSymbolicLink(Path.of(link)).getFileName().toString();
                say("{\"worker\":" + number + ",\"thread\":" + id + "}");
            } catch (IOException unknown) {
                say("{\"worker\":" + number + ",\"thread\":0}");
            }
            while (!isOver) {
                Job todo = job;
                if (todo == null) {
                    // (Whoever was interrupted would not wait.)
                    Thread.interrupted();
                    LockSupport.park(this);
                    continue;
                }
                job = null;
                // (It may have returned just before it was interrupted.)
                Thread.interrupted();
                meet(gate);
                enter(next);
                String said = todo.run();
                // (Whoever is told that this has returned may find it so.)
                if (leave()) {
                    say(said + "}");
                }
            }
        }

        /** The call has returned; whether anybody wants to know. */
        private synchronized boolean leave() {
            // (Another one has its number by now, and what it writes there must stay.)
            if (isOver) {
                return false;
            }
            enter(NONE);
            return !isForgotten;
        }

        /** Whether the call does not return. Then nobody gives this one another. */
        private synchronized boolean isLeft() {
            isOver = inside != NONE;
            return isOver;
        }

        private void enter(int call) {
            inside = call;
            if (COUNTERS != null && 4 * number + 4 <= COUNTERS.limit()) {
                COUNTER.setVolatile(COUNTERS, 4 * number, call);
            }
        }

        /** Waits a little for the others that are to be called together with this one. */
        private static void meet(AtomicInteger gate) {
            if (gate == null) {
                return;
            }
            gate.decrementAndGet();
            for (int looks = 0; gate.get() > 0 && looks < 20_000; looks++) {
                if (looks < 2_000) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
            stagger();
        }

        /** Lets half of the calls begin a little later, mostly very little: so they meet at different places inside. */
        private static void stagger() {
            int luck = ThreadLocalRandom.current().nextInt(16);
            for (int spins = luck % 2 == 0 ? 1 << luck / 2 : 0; spins > 0; spins--) {
                Thread.onSpinWait();
            }
        }
    }

    /** Something that was asked for does not exist. */
    private static final class Unfit extends Exception {
        private static final long serialVersionUID = 1;

        Unfit(String message) {
            super(message);
        }
    }

    /** Just enough of JSON. */
    private static final class Json {
        private final String text;
        private int place;

        Json(String text) {
            this.text = text;
        }

        static Map<String, Object> object(Object value) {
            if (value instanceof Map<?, ?> map) {
                Map<String, Object> object = new LinkedHashMap<>();
                map.forEach((key, inside) -> object.put(String.valueOf(key), inside));
                return object;
            }
            throw new IllegalArgumentException("an object is wanted");
        }

        static List<Object> array(Object value) {
            if (value instanceof List<?> list) {
                return new ArrayList<>(list);
            }
            throw new IllegalArgumentException("an array is wanted");
        }

        static int number(Object value) {
            if (value instanceof Number number) {
                return number.intValue();
            }
            throw new IllegalArgumentException("a number is wanted");
        }

        Object read() {
            Object value = value();
            blanks();
            if (place < text.length()) {
                throw wrong();
            }
            return value;
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("this is no JSON from column " + (place + 1));
        }

        private void blanks() {
            while (place < text.length() && text.charAt(place) <= ' ') {
                place++;
            }
        }

        private char peek() {
            blanks();
            if (place >= text.length()) {
                throw wrong();
            }
            return text.charAt(place);
        }

        private void take(char wanted) {
            if (peek() != wanted) {
                throw wrong();
            }
            place++;
        }

        private Object value() {
            switch (peek()) {
                case '{' -> {
                    Map<String, Object> object = new LinkedHashMap<>();
                    place++;
                    while (peek() != '}') {
                        if (!object.isEmpty()) {
                            take(',');
                        }
                        blanks();
                        String key = string();
                        take(':');
                        object.put(key, value());
                    }
                    place++;
                    return object;
                }
                case '[' -> {
                    List<Object> list = new ArrayList<>();
                    place++;
                    while (peek() != ']') {
                        if (!list.isEmpty()) {
                            take(',');
                        }
                        list.add(value());
                    }
                    place++;
                    return list;
                }
                case '"' -> {
                    return string();
                }
                case 't' -> {
                    return word("true", Boolean.TRUE);
                }
                case 'f' -> {
                    return word("false", Boolean.FALSE);
                }
                case 'n' -> {
                    return word("null", null);
                }
                default -> {
                    return number();
                }
            }
        }

        private Object word(String word, Object value) {
            if (!text.startsWith(word, place)) {
                throw wrong();
            }
            place += word.length();
            return value;
        }

        private Object number() {
            int start = place;
            while (place < text.length() && "+-.0123456789eE".indexOf(text.charAt(place)) >= 0) {
                place++;
            }
            String digits = text.substring(start, place);
            try {
                return digits.matches("-?\\d+") ? (Object) Long.parseLong(digits) : (Object) Double.parseDouble(digits);
            } catch (NumberFormatException problem) {
                throw wrong();
            }
        }

        private String string() {
            take('"');
            StringBuilder string = new StringBuilder();
            while (place < text.length() && text.charAt(place) != '"') {
                char next = text.charAt(place++);
                if (next != '\\') {
                    string.append(next);
                    continue;
                }
                if (place >= text.length()) {
                    throw wrong();
                }
                char escaped = text.charAt(place++);
                switch (escaped) {
                    case 'n' -> string.append('\n');
                    case 't' -> string.append('\t');
                    case 'r' -> string.append('\r');
                    case 'b' -> string.append('\b');
                    case 'f' -> string.append('\f');
                    case 'u' -> {
                        if (place + 4 > text.length()) {
                            throw wrong();
                        }
                        string.append((char) Integer.parseInt(text.substring(place, place + 4), 16));
                        place += 4;
                    }
                    default -> string.append(escaped);
                }
            }
            take('"');
            return string.toString();
        }

        static String write(Object value) {
            StringBuilder out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer
                    || value instanceof Short || value instanceof Byte) {
                out.append(value);
            } else if (value instanceof Double || value instanceof Float) {
                double number = ((Number) value).doubleValue();
                out.append(Double.isFinite(number) ? String.valueOf(value) : "\"" + number + "\"");
            } else if (value instanceof Optional<?> optional) {
                write(optional.orElse(null), out);
            } else if (value instanceof Collection<?> items) {
                String comma = "[";
                for (Object item : items) {
                    out.append(comma);
                    write(item, out);
                    comma = ",";
                }
                out.append(items.isEmpty() ? "[]" : "]");
            } else if (value.getClass().isArray()) {
                List<Object> items = new ArrayList<>();
                for (int place = 0; place < Array.getLength(value); place++) {
                    items.add(Array.get(value, place));
                }
                write(items, out);
            } else if (value instanceof Map<?, ?> map) {
                String comma = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(comma);
                    quote(String.valueOf(entry.getKey()), out);
                    out.append(':');
                    write(entry.getValue(), out);
                    comma = ",";
                }
                out.append(map.isEmpty() ? "{}" : "}");
            } else {
                quote(value instanceof Enum<?> constant ? constant.name() : String.valueOf(value), out);
            }
        }

        private static void quote(String string, StringBuilder out) {
            out.append('"');
            for (int place = 0; place < string.length(); place++) {
                char next = string.charAt(place);
                if (next == '"' || next == '\\') {
                    out.append('\\').append(next);
                } else if (next < ' ') {
                    out.append(String.format("\\u%04x", (int) next));
                } else {
                    out.append(next);
                }
            }
            out.append('"');
        }
    }
}
