package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.Backend;
import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import java.io.IOException;
import java.lang.foreign.Arena;

/** The kernel's stack behind a TAP device of the interface's name. */
public final class TapBackend implements Backend {
  private final TapDevice device;

  private TapBackend(TapDevice device) {
    this.device = device;
  }

  /**
   * Makes the device.
   *
   * @param name of the interface, at most 15 characters
   * @throws IOException when the kernel refuses it, for want of privilege for example
   */
  public static Backend open(String name) throws IOException {
    return new TapBackend(new TapDevice(name));
  }

  @Override
  public Loop.Sleeper sleeper() {
    return device;
  }

  @Override
  public Host attach(Link link) {
    TapHost host = new TapHost(device, link, Arena.ofAuto());
    link.loop().add(host);
    return host;
  }

  @Override
  public void close() {
    device.close();
  }
}
