package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps link addresses to the Ethernet addresses that the kernel sees. An Ethernet address is a hash
 * of GID and queue pair number: a changed LID does not change it, a new queue pair does (D5). Used
 * on the loop's thread only.
 */
final class MacTable {
  private static final int MAX_ENTRIES = 16_384;
  private static final long LOCAL = 0x0200_0000_0000L;
  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  private final Map<Long, LinkAddress> ends = new Bounded();
  private final Map<Long, LinkAddress> senders = new Bounded();

  /** A map that forgets the entry used longest ago when it is full. */
  private static final class Bounded extends LinkedHashMap<Long, LinkAddress> {
    private static final long serialVersionUID = 1L;

    Bounded() {
      super(64, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, LinkAddress> eldest) {
      return size() > MAX_ENTRIES;
    }
  }

  /** {@return the Ethernet address for a link address: locally administered, unicast} */
  static long mac(LinkAddress end) {
    long hash = (end.gid().low() ^ Long.rotateLeft(end.gid().high(), 29)) * GOLDEN;
    hash = (hash ^ hash >>> 32 ^ end.qpn()) * GOLDEN;
    return hash >>> 16 & 0xfcff_ffff_ffffL | LOCAL;
  }

  /**
   * {@return the Ethernet address of a device of the kernel} It depends only on the GUID of the
   * port and the name of the interface, so it is the same after each plug (B2).
   */
  static long own(Gid gid, String name) {
    long hash = gid.low() * GOLDEN;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ hash >>> 32 ^ name.charAt(i)) * GOLDEN;
    }
    return hash >>> 16 & 0xfcff_ffff_ffffL | LOCAL;
  }

  /** Enters a link address with its flags. {@return its Ethernet address} */
  long learn(LinkAddress end) {
    long mac = mac(end);
    ends.put(mac, end);
    return mac;
  }

  /**
   * Enters a link address whose flags are unknown; flags that are known are kept. {@return its
   * Ethernet address}
   */
  long meet(LinkAddress end) {
    long mac = mac(end);
    ends.putIfAbsent(mac, end);
    return mac;
  }

  /** Enters the LID that a link address sends from, for its packets without a GRH (W2). */
  void sends(LinkAddress end, int slid) {
    senders.put((long) slid << 24 | end.qpn(), end);
  }

  /** {@return the link address that sends from a LID and a queue pair; null when it is unknown} */
  @Nullable LinkAddress sender(int slid, int qpn) {
    return senders.get((long) slid << 24 | qpn);
  }

  /** {@return the link address of an Ethernet address; null when it is unknown} */
  @Nullable LinkAddress end(long mac) {
    return ends.get(mac);
  }

  Map<String, String> list() {
    Map<String, String> list = new TreeMap<>();
    ends.forEach((mac, end) -> list.put(text(mac), end.toString()));
    return list;
  }

  static String text(long mac) {
    StringBuilder text = new StringBuilder();
    for (int shift = 40; shift >= 0; shift -= 8) {
      text.append(String.format("%02x", mac >>> shift & 0xff)).append(shift == 0 ? "" : ":");
    }
    return text.toString();
  }
}
