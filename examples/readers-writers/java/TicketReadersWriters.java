/** Readers and writers in the order of their tickets: nobody looks at the room before all earlier ones are in. */
public class TicketReadersWriters {
    private long nextTicket = 0;
    private long nextToEnter = 0;
    private int readers = 0;
    private boolean writing = false;

    public TicketReadersWriters() {
    }

    public synchronized void beforeRead() throws InterruptedException {
        long ticket = nextTicket++;
        while (nextToEnter != ticket || writing) {
            wait();
        }
        nextToEnter++;
        readers++;
        notifyAll();
    }

    public synchronized void afterRead() {
        readers--;
        notifyAll();
    }

    public synchronized void beforeWrite() throws InterruptedException {
        long ticket = nextTicket++;
        while (nextToEnter != ticket || writing || readers > 0) {
            wait();
        }
        nextToEnter++;
        writing = true;
        notifyAll();
    }

    public synchronized void afterWrite() {
        writing = false;
        notifyAll();
    }
}
