/** Readers and writers who stand in a line; the steps of a visit are methods of a monitor. */
import java.util.LinkedList;
import java.util.List;

public class LineReadersWriters {
    private final List<Object> line = new LinkedList<>();
    private int readers = 0;
    private int writers = 0;

    public LineReadersWriters() {
    }

    public void beforeRead() throws InterruptedException {
        Object place = joinLine();
        awaitTurn(place, false);
        comeIn(false);
    }

    public void beforeWrite() throws InterruptedException {
        Object place = joinLine();
        awaitTurn(place, true);
        comeIn(true);
    }

    public synchronized void afterRead() {
        readers--;
        notifyAll();
    }

    public synchronized void afterWrite() {
        writers--;
        notifyAll();
    }

    private synchronized Object joinLine() {
        Object place = new Object();
        line.add(place);
        return place;
    }

    private synchronized void awaitTurn(Object place, boolean exclusive) throws InterruptedException {
        while (line.get(0) != place || writers > 0 || (exclusive && readers > 0)) {
            wait();
        }
        line.remove(place);
        notifyAll();
    }

    private synchronized void comeIn(boolean exclusive) {
        if (exclusive) {
            writers++;
        } else {
            readers++;
        }
    }
}
