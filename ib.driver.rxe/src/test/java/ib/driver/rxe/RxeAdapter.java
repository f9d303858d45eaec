package ib.driver.rxe;

import ib.core.spi.DriverDevice;
import ib.driver.rxe.udp.LocalWires;
import java.util.Map;

/** A device of this driver, for the tests of other rooms. */
public final class RxeAdapter implements AutoCloseable {
  private final RxeDevice device;

  /** Builds a device on an address of this host. */
  public RxeAdapter(String name, String address) {
    RxeConfig config =
        RxeReader.read(RxeDriver.PID + "~" + name, Map.of("name", name, "address", address));
    device = RxeDevice.plug(config, new LocalWires(), Host.REAL, "0", warning -> {});
  }

  /** {@return what is registered} */
  public DriverDevice device() {
    return device;
  }

  /** Takes it down, when it is registered no more. */
  @Override
  public void close() {
    device.unplug();
  }
}
