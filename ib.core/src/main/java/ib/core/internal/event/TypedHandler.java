package ib.core.internal.event;

import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Waits;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;

/** One typed handler and the events that wait for it. A slow handler delays only itself (F22). */
final class TypedHandler extends Mailbox<DeviceEvent> {
  final IbEventHandler handler;
  private final HandlerTable table;
  private final EventHub hub;
  private final EventCounters counters;
  private volatile boolean givenUp;

  TypedHandler(IbEventHandler handler, HandlerTable table, EventHub hub, EventCounters counters) {
    super(hub.handlers, hub.config.handlerCapacity());
    this.handler = handler;
    this.table = table;
    this.hub = hub;
    this.counters = counters;
  }

  IbDevice owner() {
    return handler.device();
  }

  /** {@return the name of the client whose handler this is, for violations} */
  String party() {
    return owner() instanceof HandlerOwner known ? known.client() : culprit();
  }

  /** {@return the handler's class, as text that stays valid when its bundle is gone (B10)} */
  String culprit() {
    return handler.getClass().getName();
  }

  @Override
  protected void call() {
    super.call();
    if (isClosed()) {
      table.drop(this); // closed inside its own call, whose end no thread could wait for
    }
  }

  @Override
  protected void hear(DeviceEvent e) {
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    self.setContextClassLoader(handler.getClass().getClassLoader());
    hub.section.enter(handler);
    try {
      handler.handle(
          new IbEvent(owner(), e.type(), null, e.portOrLost(), e.sequence(), e.timeNs()));
    } catch (Throwable t) { // the next event is delivered, whatever the handler throws
      counters.handlerErrors.increment();
      hub.reports().trouble(owner().name(), "event handler " + culprit() + " threw at " + e, t);
    } finally {
      hub.section.exit();
      self.setContextClassLoader(before);
      Thread.interrupted(); // clears an interrupt that was meant for this call
      counters.delivered.increment();
    }
  }

  @Override
  protected void failed(Throwable thrown) {
    hub.reports().trouble(owner().name(), "no thread for event handler " + culprit(), thrown);
  }

  /** {@return 1, or for a lost EVENT_OVERFLOW the number of events that it stood for} */
  @Override
  protected int weight(DeviceEvent lost) {
    int n = Math.max(1, lost.lost());
    counters.handlerLost.add(n);
    return n;
  }

  /** Makes the EVENT_OVERFLOW that stands for the lost events, with the last one's number. */
  @Override
  protected DeviceEvent overflow(int count, DeviceEvent last) {
    return new DeviceEvent(EventType.EVENT_OVERFLOW, 0, count, last.sequence(), last.timeNs());
  }

  /** Marks the handler: a fence has timed out, and no other fence waits for it (CC-19). */
  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /** Reopens the mailbox of a handler, so that its calls stay one at a time. */
  boolean register() {
    givenUp = false;
    return reopen();
  }

  /** Waits until the call in progress has ended. */
  End fence(Waits.Rank rank, long limitNs) {
    return fence(hub.waits, rank, "event handler " + text(), limitNs);
  }

  /** Waits until the handler has handled all queued events. */
  End drain(long limitNs) {
    return drain(hub.waits, Waits.Rank.CLOSES, "the events of event handler " + text(), limitNs);
  }

  /** {@return the handler's class and its device, for reports} */
  String text() {
    return culprit() + " of " + owner().name();
  }
}
