package ib.core.testing;

import ib.core.spi.DeviceOps;

/** A driver's device that calls somebody from inside a method which the core calls. */
public final class AskingDevice extends FakeDevice {
  private final Runnable asked;

  /**
   * A device.
   *
   * @param name its name
   * @param asked is run whenever the core asks for the operations
   */
  public AskingDevice(String name, Runnable asked) {
    super(name);
    this.asked = asked;
  }

  @Override
  public DeviceOps ops() {
    asked.run();
    return super.ops();
  }
}
