package ib.driver.soft;

import ib.core.spi.DriverDevice;
import ib.core.spi.PacketCapture;
import ib.driver.soft.fabric.Fabric;
import java.util.Map;

/** A device of this driver, for the tests of other rooms. */
public final class SoftAdapter implements AutoCloseable {
  private final SoftDevice device;

  /** Builds a device with one port, as its configuration by name alone has it. */
  public SoftAdapter(Fabric fabric, String name) {
    SoftConfig config = ConfigReader.read(SoftDriver.PID + "~" + name, Map.of("name", name));
    device = SoftDevice.plug(fabric, config, "0");
  }

  /** {@return what is registered} */
  public DriverDevice device() {
    return device;
  }

  /** {@return LID of the subnet manager of its port} */
  public int smLid() {
    return device.queryPort(1).smLid();
  }

  /** {@return what it sends and receives} */
  public PacketCapture capture() {
    return (PacketCapture) device.offers().get(PacketCapture.class);
  }

  /** Takes it down, when it is registered no more. */
  @Override
  public void close() {
    device.unplug();
  }
}
