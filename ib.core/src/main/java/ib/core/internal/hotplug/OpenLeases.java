package ib.core.internal.hotplug;

import ib.core.serial.Waits;
import java.util.function.Consumer;

/**
 * The leases that the removal of a device waits for. Guarded by the book.
 *
 * @param device the device
 */
record OpenLeases(DeviceEntry device) implements Waits.Target {
  @Override
  public boolean over() {
    return device.leases.isEmpty();
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    device.leases.forEach(l -> to.accept(l.holder));
  }

  @Override
  public String text() {
    return "the leases of " + device;
  }
}
