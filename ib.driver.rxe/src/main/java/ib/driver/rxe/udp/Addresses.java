package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Converts between GIDs of RoCEv2 and IP addresses, which are the same 128 bits (IBA annex A17.8).
 */
public final class Addresses {
  private static final int LINK_LOCAL = 0xfe80;

  private Addresses() {}

  /**
   * Returns the GID of an address.
   *
   * @param address IPv4 or IPv6
   * @return the same 128 bits, an IPv4 address mapped
   */
  public static Gid gid(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 4) {
      long four = 0;
      for (byte b : bytes) {
        four = four << 8 | b & 0xff;
      }
      return new Gid(0, 0xffffL << 32 | four);
    }
    return Gid.of(bytes);
  }

  /**
   * Returns the address of a GID.
   *
   * @param high upper half of the GID
   * @param low lower half of the GID
   * @param scope index of the interface for a link-local address, 0 for none
   * @return an IPv4 or IPv6 address
   */
  public static InetAddress address(long high, long low, int scope) {
    byte[] bytes = new Gid(high, low).toBytes();
    try {
      if (high == 0 && low >>> 32 == 0xffff) {
        return InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16));
      }
      boolean scoped = high >>> 48 == LINK_LOCAL || high >>> 56 == 0xff;
      return Inet6Address.getByAddress(null, bytes, scoped && scope != 0 ? scope : -1);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  /**
   * Returns the interface that has an address.
   *
   * @param address an address of this host
   * @return the interface; the loopback interface for any loopback address
   * @throws IOException when no interface has the address any more
   */
  static NetworkInterface holder(InetAddress address) throws IOException {
    NetworkInterface holder = NetworkInterface.getByInetAddress(address);
    if (holder == null && address.isLoopbackAddress()) {
      holder = NetworkInterface.getByInetAddress(InetAddress.ofLiteral("127.0.0.1"));
    }
    if (holder == null) {
      throw new SocketException(address.getHostAddress() + " is on no interface");
    }
    return holder;
  }

  /** {@return the name of an interface; its index when the host has no such interface any more} */
  static String interfaceName(int index) {
    try {
      NetworkInterface known = NetworkInterface.getByIndex(index);
      return known == null ? "interface " + index : known.getName();
    } catch (SocketException e) { // the name is for a message only
      return "interface " + index;
    }
  }

  /** {@return the index of the interface of a link-local address; 0 for any other address} */
  static int scope(InetAddress address) {
    return address instanceof Inet6Address six ? six.getScopeId() : 0;
  }

  /** {@return whether an address is an IPv4 address} */
  static boolean four(InetAddress address) {
    return address instanceof Inet4Address;
  }
}
