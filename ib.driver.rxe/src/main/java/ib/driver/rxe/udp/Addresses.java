package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** GIDs of RoCEv2 and IP addresses are the same thing (IBA annex A17.8). */
public final class Addresses {
  private static final int LINK_LOCAL = 0xfe80;
  private static final int IPV4_MULTICAST = 0xe;

  private Addresses() {}

  /**
   * The GID of an address.
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
   * The address of a GID.
   *
   * @param high its upper half
   * @param low its lower half
   * @param scope index of the interface for a link-local address, 0 for none
   * @return an IPv4 or IPv6 address
   */
  static InetAddress address(long high, long low, int scope) {
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
   * Whether a GID names a multicast group: an IPv6 one, or a mapped IPv4 one.
   *
   * @param high its upper half
   * @param low its lower half
   * @return whether
   */
  static boolean multicast(long high, long low) {
    return high >>> 56 == 0xff || high == 0 && low >>> 28 == (0xffffL << 4 | IPV4_MULTICAST);
  }

  /** {@return the index of the interface that a link-local address belongs to, 0 for none} */
  static int scope(InetAddress address) {
    return address instanceof Inet6Address six ? six.getScopeId() : 0;
  }

  /** {@return whether it is an IPv4 address} */
  static boolean four(InetAddress address) {
    return address instanceof Inet4Address;
  }
}
