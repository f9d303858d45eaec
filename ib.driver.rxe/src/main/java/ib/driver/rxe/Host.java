package ib.driver.rxe;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a device needs to know of the host's network, looked at now and then. */
@FunctionalInterface
interface Host {
  /** The host that this JVM runs on. */
  Host REAL = Host::lookAtReal;

  /** What there is when there is nothing. */
  View NOTHING = new View(false, 0, Optional.empty(), List.of());

  /**
   * What it saw.
   *
   * @param up whether the interface is up
   * @param mtu of the interface, in bytes
   * @param guid EUI-64 of its Ethernet address, if it has one
   * @param addresses of the device, in the order of the GID table
   */
  record View(boolean up, int mtu, Optional<Long> guid, List<InetAddress> addresses) {}

  /**
   * Looks at the addresses or the interface of a device.
   *
   * @param config the device
   * @return what there is now
   */
  View look(RxeConfig config);

  private static View lookAtReal(RxeConfig config) {
    try {
      return config.interfaceName().isPresent()
          ? byName(config.interfaceName().get())
          : byAddress(config.addresses());
    } catch (SocketException e) {
      return NOTHING; // the interface went while it was being asked: looked at again soon
    }
  }

  private static View byName(String name) throws SocketException {
    NetworkInterface device = NetworkInterface.getByName(name);
    if (device == null) {
      return NOTHING;
    }
    List<InetAddress> addresses = new ArrayList<>(Collections.list(device.getInetAddresses()));
    // as Linux lists them: IPv4 first
    addresses.sort(Comparator.comparing(a -> !(a instanceof Inet4Address)));
    return new View(device.isUp(), device.getMTU(), guid(device), addresses);
  }

  private static View byAddress(List<InetAddress> wanted) throws SocketException {
    List<InetAddress> there = new ArrayList<>();
    boolean up = false;
    int mtu = Integer.MAX_VALUE;
    for (InetAddress address : wanted) {
      NetworkInterface device = holder(address);
      if (device != null) {
        there.add(address);
        up |= device.isUp();
        mtu = Math.min(mtu, device.getMTU());
      }
    }
    return there.isEmpty() ? NOTHING : new View(up, mtu, Optional.empty(), there);
  }

  private static @Nullable NetworkInterface holder(InetAddress address) throws SocketException {
    if (!address.isLoopbackAddress()) {
      return NetworkInterface.getByInetAddress(address);
    }
    // the whole of 127/8 is there without being listed
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (device.isLoopback()) {
        return device;
      }
    }
    return null;
  }

  /** RFC 4291 appendix A. */
  private static Optional<Long> guid(NetworkInterface device) throws SocketException {
    byte[] mac = device.getHardwareAddress();
    if (mac == null || mac.length != 6) {
      return Optional.empty();
    }
    long high = (mac[0] ^ 2) & 0xff;
    long guid =
        high << 56
            | (mac[1] & 0xffL) << 48
            | (mac[2] & 0xffL) << 40
            | 0xfffeL << 24
            | (mac[3] & 0xffL) << 16
            | (mac[4] & 0xffL) << 8
            | mac[5] & 0xffL;
    return Optional.of(guid);
  }
}
