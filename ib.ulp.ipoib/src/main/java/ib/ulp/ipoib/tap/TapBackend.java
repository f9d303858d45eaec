package ib.ulp.ipoib.tap;

import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.Backend;
import java.io.IOException;
import java.lang.foreign.Arena;

/** The backend for the kernel's IP stack, behind a TAP or TUN device with the interface's name. */
public final class TapBackend implements Backend {
  private final TapDevice device;
  private final int probes;

  private TapBackend(TapDevice device, int probes) {
    this.device = device;
    this.probes = probes;
  }

  /**
   * Creates a TAP device.
   *
   * @param name name of the interface, at most 15 characters
   * @param queues number of queues, over which the kernel spreads flows
   * @throws IOException when the kernel refuses the device, for example because the process lacks
   *     CAP_NET_ADMIN
   */
  public static Backend open(String name, int queues) throws IOException {
    return new TapBackend(TapDevice.tap(name, queues), 0);
  }

  /** Creates a TAP device with one queue. */
  public static Backend open(String name) throws IOException {
    return open(name, 1);
  }

  /**
   * Creates a TUN device.
   *
   * @param name name of the interface, at most 15 characters
   * @param probes how many neighbour solicitations precede the use of an IPv6 address; 0: none
   * @param queues number of queues, over which the kernel spreads flows
   * @throws IOException when the kernel refuses the device, for example because the process lacks
   *     CAP_NET_ADMIN
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
