package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An observer that fails does not stop the machine. */
final class SafeObserver implements Observer {
  private static final Logger LOG = LoggerFactory.getLogger(SafeObserver.class);

  private final Observer next;

  SafeObserver(Observer next) {
    this.next = next;
  }

  @Override
  public void violation(Violation violation) {
    tell(() -> next.violation(violation));
  }

  @Override
  public void leak(LeakRecord leak) {
    tell(() -> next.leak(leak));
  }

  @Override
  public void failed(String where, Throwable error) {
    tell(() -> next.failed(where, error));
  }

  @Override
  public void stuck(Stuck stuck) {
    tell(() -> next.stuck(stuck));
  }

  @Override
  public void note(String text) {
    tell(() -> next.note(text));
  }

  @Override
  public void freed() {
    tell(next::freed);
  }

  private static void tell(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      LOG.error("observer failed", e);
    }
  }
}
