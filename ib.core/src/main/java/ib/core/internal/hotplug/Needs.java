package ib.core.internal.hotplug;

import ib.core.serial.Waits;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The target of an operation that waits: the leases of the operation's device and of the devices
 * below it, and the operations that run on those devices. Guarded by the book.
 *
 * @param op the operation
 */
record Needs(Op op) implements Waits.Target {
  @Override
  public boolean over() {
    return false;
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    of(op).forEach(to);
  }

  @Override
  public String text() {
    return op.text();
  }

  /** {@return the threads for which an operation has to wait} */
  static Set<Thread> of(Op op) {
    Set<Thread> threads = new LinkedHashSet<>();
    if (op.kind.drains()) {
      collect(op.device, threads);
    }
    return threads;
  }

  private static void collect(DeviceEntry device, Set<Thread> threads) {
    device.leases.forEach(l -> threads.add(l.holder));
    for (DeviceEntry child : device.children) {
      Tenure t = child.actor.tenure();
      if (t != null) {
        threads.add(t.thread);
      }
      collect(child, threads);
    }
  }
}
