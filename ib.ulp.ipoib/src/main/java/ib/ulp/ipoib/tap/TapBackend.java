package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.Backend;
import java.io.IOException;
import java.lang.foreign.Arena;

/** The kernel's stack behind a TAP or TUN device of the interface's name. */
public final class TapBackend implements Backend {
  private final TapDevice device;
  private final int probes;

  private TapBackend(TapDevice device, int probes) {
    this.device = device;
    this.probes = probes;
  }

  /**
   * Makes a TAP device.
   *
   * @param name of the interface, at most 15 characters
   * @param queues of the device, over which the kernel spreads flows
   * @throws IOException when the kernel refuses it, for want of privilege for example
   */
  public static Backend open(String name, int queues) throws IOException {
    return new TapBackend(TapDevice.tap(name, queues), 0);
  }

  /** Makes one with one queue. */
  public static Backend open(String name) throws IOException {
    return open(name, 1);
  }

  /**
   * Makes a TUN device.
   *
   * @param name of the interface, at most 15 characters
   * @param probes how often an IPv6 address is asked for before it is used
   * @param queues of the device, over which the kernel spreads flows
   * @throws IOException when the kernel refuses it, for want of privilege for example
   */
  public static Backend tun(String name, int probes, int queues) throws IOException {
    return new TapBackend(TapDevice.tun(name, queues), probes);
  }

  @Override
  public Loop.Sleeper sleeper() {
    return device;
  }

  @Override
  public Host attach(Link link) {
    if (device.ethernet()) {
      TapHost host = new TapHost(device, link, Arena.ofAuto());
      link.loop().add(host);
      return host;
    }
    TunHost host = new TunHost(device, link, probes, Arena.ofAuto());
    link.loop().add(host);
    return host;
  }

  @Override
  public void close() {
    device.close();
  }
}
