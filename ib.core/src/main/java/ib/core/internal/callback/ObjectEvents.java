package ib.core.internal.callback;

import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbObject;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The events of one CQ, QP or SRQ on their way to its handler (S45, S47): in order, each once,
 * never on the driver's stack (S20). Bounded: what finds the queue full is counted, and the handler
 * hears one {@link EventType#EVENT_OVERFLOW} in its place.
 */
public final class ObjectEvents extends CallbackTask {
  /** How many events of one object may wait. */
  public static final int CAPACITY = 64;

  private static final int RUN_MOST = 16;

  private final Contract contract;
  private final CompletionVector vector;
  private final EventMirror mirror;
  private final Queue<IbEvent> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private volatile @Nullable IbEvent lastLost;
  private @Nullable EventHandler handler;
  private @Nullable Object context;
  private volatile boolean open;

  /**
   * An empty queue that delivers nothing before {@link #open}.
   *
   * @param contract where exceptions are counted
   * @param vectors whose async vector runs the handler
   * @param mirror who hears the events too
   */
  public ObjectEvents(Contract contract, CompletionVectors vectors, EventMirror mirror) {
    this(contract, vectors.async(), mirror);
  }

  ObjectEvents(Contract contract, CompletionVector vector, EventMirror mirror) {
    this.contract = contract;
    this.vector = vector;
    this.mirror = mirror;
  }

  /**
   * The object lives: events are delivered from now on, those that wait included.
   *
   * @param eventHandler the owner's handler, or null
   * @param handlerContext given to it (S52)
   */
  @AnyContext
  public void open(@Nullable EventHandler eventHandler, @Nullable Object handlerContext) {
    this.handler = eventHandler;
    this.context = handlerContext;
    this.open = true;
    if (waiting.get() > 0) {
      schedule();
    }
  }

  /**
   * Takes an event; never blocks.
   *
   * @param event the event
   */
  @AnyContext
  public void raise(IbEvent event) {
    if (isDead()) {
      return;
    }
    if (lost.get() > 0 || waiting.get() >= CAPACITY) {
      lastLost = event;
      lost.incrementAndGet();
    } else {
      waiting.incrementAndGet();
      events.add(event);
    }
    if (open) {
      schedule();
    }
  }

  @Override
  protected void call() {
    for (int i = 0; i < RUN_MOST && !isDead(); i++) {
      IbEvent event = events.poll();
      if (event == null) {
        break;
      }
      waiting.decrementAndGet();
      deliver(event);
    }
    IbEvent last = lastLost;
    if (!events.isEmpty()) {
      again();
    } else if (last != null && lost.get() > 0 && !isDead()) {
      deliver(
          new IbEvent(
              last.device(),
              EventType.EVENT_OVERFLOW,
              last.element(),
              lost.getAndSet(0),
              0,
              System.nanoTime()));
    }
  }

  private void deliver(IbEvent event) {
    EventHandler h = handler;
    if (h != null) {
      Contract.enterAtomic();
      try {
        h.handle(event, context);
      } catch (Throwable e) {
        contract.handlerThrew("the event handler of " + event.element(), e);
      } finally {
        Contract.exitAtomic();
      }
    }
    try {
      mirror.mirror(event);
    } catch (Throwable e) {
      contract.handlerThrew("telling on " + event.type() + " of " + event.element(), e);
    }
  }

  @Override
  protected void enqueue() {
    vector.add(this);
  }

  /**
   * {@return the context that the maker of an object gave, for its event handler; null for none}
   *
   * @param object the object
   */
  public static @Nullable Object contextOf(IbObject object) {
    return switch (object) {
      case CompletionQueue cq -> cq.init().context();
      case QueuePair qp -> qp.init().context();
      case SharedReceiveQueue srq -> srq.init().context();
      default -> null;
    };
  }
}
