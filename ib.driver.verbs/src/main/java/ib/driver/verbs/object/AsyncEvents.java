package ib.driver.verbs.object;

import ib.core.verbs.EventType;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.abi.Waiter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The thread that reads the asynchronous events of a device and hands each to the core (V6). An
 * event is acknowledged at once, because the kernel's destroy waits for that.
 */
public final class AsyncEvents {
  private static final long BYTES = Layout.size("ibv_async_event");
  private static final long ELEMENT = Layout.at("ibv_async_event", "element.qp", 8);
  private static final long TYPE = Layout.at("ibv_async_event", "event_type", 4);
  private static final long QP_BYTES = Layout.size("ibv_qp");
  private static final long QP_CONTEXT = Layout.at("ibv_qp", "qp_context", 8);
  private static final long CQ_BYTES = Layout.size("ibv_cq");
  private static final long CQ_CONTEXT = Layout.at("ibv_cq", "cq_context", 8);
  private static final long SRQ_BYTES = Layout.size("ibv_srq");
  private static final long SRQ_CONTEXT = Layout.at("ibv_srq", "srq_context", 8);
  private static final int LAST_OF_C = 20; // what follows is not an event that C has

  /** Where events of ports and of the device go. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes an event.
     *
     * @param type about a port or the device
     * @param port from 1, or 0 for the device
     */
    void event(EventType type, int port);
  }

  private final VerbsContext context;
  private final Sink sink;
  private final Waiter waiter;
  private final Thread thread;
  private volatile boolean closing;

  /**
   * Creates the reader.
   *
   * @param context the device
   * @param name of the device, for the thread
   * @param sink where events of ports and of the device go
   */
  public AsyncEvents(VerbsContext context, String name, Sink sink) {
    this.context = context;
    this.sink = sink;
    this.waiter = new Waiter(context.library.libc());
    this.thread = Thread.ofPlatform().daemon().name("ib-" + name + "-events").unstarted(this::run);
  }

  /** Starts the thread. */
  public void start() {
    Libc libc = context.library.libc();
    if (!libc.nonBlocking(context.asyncFd())) {
      throw context.failure(Libc.EINVAL, "open");
    }
    thread.start();
  }

  private void run() {
    Libibverbs library = context.library;
    while (!closing) {
      try (Frame frame = new Frame()) {
        if (waiter.await(frame, context.asyncFd(), -1)) {
          MemorySegment event = frame.zeros(BYTES);
          int failed = 0;
          while ((failed =
                  (int) frame.call(library.nextAsyncEvent, context.address, event.address()))
              == 0) {
            hand(event);
            frame.call(library.ackAsyncEvent, event.address());
          }
          if (failed != 0 && frame.errno() != Libc.EAGAIN && frame.errno() != Libc.EINTR) {
            return; // a disassociated device: its removal comes from the host's announcements
          }
        }
      }
    }
  }

  private void hand(MemorySegment event) {
    int number = event.get(ValueLayout.JAVA_INT, TYPE);
    if (number < 0 || number > LAST_OF_C) {
      return; // a later kernel's
    }
    EventType type = EventType.of(number);
    long element = event.get(ValueLayout.JAVA_LONG, ELEMENT);
    switch (type.affiliation()) {
      case QP -> raise(element, QP_BYTES, QP_CONTEXT, number);
      case CQ -> raise(element, CQ_BYTES, CQ_CONTEXT, number);
      case SRQ -> raise(element, SRQ_BYTES, SRQ_CONTEXT, number);
      case PORT -> sink.event(type, (int) element);
      case DEVICE -> sink.event(type, 0);
      case WQ -> {} // the API has no receive work queues, so no such event is asked for
    }
  }

  private void raise(long object, long bytes, long contextAt, int type) {
    if (object == 0) {
      return;
    }
    long number = Frame.at(object, bytes).get(ValueLayout.JAVA_LONG, contextAt);
    VerbsContext.EventTarget target = context.targets.find((int) number);
    if (target != null) {
      target.event(type);
    }
  }

  /** Ends the thread, if it was started. */
  public void close() {
    closing = true;
    waiter.ring();
    Threads.join(thread);
    waiter.close();
  }
}
