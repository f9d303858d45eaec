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

/** Reads what a device needs to know about the host's network. */
@FunctionalInterface
interface Host {
  /** The host that this JVM runs on. */
  Host REAL = Host::lookAtReal;

  /** The view when no address or interface of the device exists. */
  View NOTHING = new View(false, 0, Optional.empty(), List.of());

  /**
   * The state of the host's network for one device.
   *
   * @param up whether the interface is up; for several addresses, whether any of their interfaces
   *     is
   * @param mtu smallest MTU of the interfaces in bytes
   * @param guid EUI-64 of the interface's Ethernet address, if the device has an interface and that
   *     has one
   * @param addresses addresses of the device that exist, in the order of the GID table
   */
  record View(boolean up, int mtu, Optional<Long> guid, List<InetAddress> addresses) {}

  /**
   * Reads the present state for a device.
   *
   * @param config configuration of the device
   * @return the present state
   */
  View look(RxeConfig config);

  private static View lookAtReal(RxeConfig config) {
    try {
      return config.interfaceName().isPresent()
          ? byName(config.interfaceName().get())
          : byAddress(config.addresses());
    } catch (SocketException e) {
      return NOTHING; // the interface was removed during the query; HostWatch queries again in 1 s
    }
  }

  private static View byName(String name) throws SocketException {
    NetworkInterface device = NetworkInterface.getByName(name);
    if (device == null) {
      return NOTHING;
    }
    // the JDK has the latest address first; Linux the first, and IPv4 addresses before the others
    List<InetAddress> addresses =
        new ArrayList<>(Collections.list(device.getInetAddresses()).reversed());
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
    // every address of 127/8 exists, but only 127.0.0.1 is listed
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (device.isLoopback()) {
        return device;
      }
    }
    return null;
  }

  /** {@return the EUI-64 of the interface's Ethernet address (RFC 4291 appendix A)} */
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
