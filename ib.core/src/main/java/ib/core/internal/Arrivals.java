package ib.core.internal;

import ib.core.internal.callback.Contract;
import ib.core.internal.mad.SerialQueue;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/**
 * Where changes of services reach devices and clients: on the thread that brings them; but those
 * that come in a callback that must not sleep on one of the core's own, in their order, so that a
 * completion vector runs neither a probe nor an add (S29, S33).
 */
public final class Arrivals {
  private final Contract contract;
  private final SerialQueue handedOver;
  private final List<Runnable> whenFreed = new CopyOnWriteArrayList<>();

  Arrivals(Contract contract, Executor place, Waits waits) {
    this.contract = contract;
    this.handedOver = new SerialQueue("arrivals of services", "ib.core", place, contract, waits);
  }

  /**
   * Does what the event of a service asks for, which may sleep; in a callback that must not sleep,
   * this method hands the work over and returns at once.
   *
   * @param bundle whose service it is
   * @param event what became of the service
   * @param work tells clients or devices
   */
  public void on(String bundle, String event, Runnable work) {
    if (Contract.inAtomic()) {
      String text = event + " in a callback that must not sleep; do it outside of the callback";
      contract.report("S29", bundle, text, List.of());
      handedOver.execute(work);
    } else {
      work.run();
    }
  }

  /**
   * Says what is to be done whenever a name or GUID is free that a device or client has had, on a
   * thread of the core.
   *
   * @param again asks again for what was refused; it may sleep
   */
  public void whenFreed(Runnable again) {
    whenFreed.add(again);
  }

  /** A name or GUID is free. */
  @AnyContext
  void freed() {
    whenFreed.forEach(handedOver::execute);
  }

  /** Waits until what was handed over has arrived. */
  @MaySleep
  @Fence
  void drain() {
    handedOver.fence();
  }
}
