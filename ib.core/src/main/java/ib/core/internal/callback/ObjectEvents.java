package ib.core.internal.callback;

import ib.core.serial.Mailbox;
import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbObject;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * The events of one CQ, QP or SRQ that wait for the object's handler (S45, S47). The handler gets
 * them in order, each once, never on the driver's stack (S20). The queue is bounded: an event that
 * finds it full is counted, and the handler gets one {@link EventType#EVENT_OVERFLOW} in its place.
 */
public final class ObjectEvents extends Mailbox<IbEvent> {
  /** How many events of one object may wait. */
  public static final int CAPACITY = 64;

  private final Contract contract;
  private final EventMirror mirror;
  private @Nullable EventHandler handler;
  private @Nullable Object context;
  private volatile boolean open;

  /**
   * An empty queue that delivers nothing before {@link #open}.
   *
   * @param contract where exceptions are counted
   * @param vectors the device's vectors; the one for events runs the handler
   * @param mirror takes the events after the handler
   */
  public ObjectEvents(Contract contract, CompletionVectors vectors, EventMirror mirror) {
    this(contract, vectors.async(), mirror);
  }

  ObjectEvents(Contract contract, CompletionVector vector, EventMirror mirror) {
    super(vector, CAPACITY);
    this.contract = contract;
    this.mirror = mirror;
  }

  /**
   * Starts the delivery when the object exists. The events that wait are delivered first.
   *
   * @param eventHandler the client's handler, or null
   * @param handlerContext the context that the handler gets (S52)
   */
  @AnyContext
  public void open(@Nullable EventHandler eventHandler, @Nullable Object handlerContext) {
    this.handler = eventHandler;
    this.context = handlerContext;
    this.open = true;
    if (hasItems()) {
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
    put(event);
    if (open) {
      schedule();
    }
  }

  @Override
  protected IbEvent overflow(int count, IbEvent last) {
    EventType type = EventType.EVENT_OVERFLOW;
    return new IbEvent(last.device(), type, last.element(), count, 0, System.nanoTime());
  }

  @Override
  protected void failed(Throwable thrown) {
    contract.handlerThrew("the events of an object", thrown);
  }

  @Override
  protected void hear(IbEvent event) {
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
      contract.handlerThrew("mirroring " + event.type() + " of " + event.element(), e);
    }
  }

  /**
   * {@return the context that the client gave with an object for the event handler, or null}
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
