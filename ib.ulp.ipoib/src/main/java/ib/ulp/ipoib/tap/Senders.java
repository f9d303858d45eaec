package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.Arrays;

/**
 * The Ethernet addresses of those whose frames come: what the kernel was told of them by ARP and
 * neighbour discovery stands in their packets too. On the loop.
 */
final class Senders {
  private static final int BITS = 8;

  private final MacTable table;
  private final long[] keys = new long[1 << BITS];
  private final long[] macs = new long[1 << BITS];

  Senders(MacTable table) {
    this.table = table;
  }

  /** {@return that of a frame's sender; somebody's when the frame does not say whose it is} */
  long of(Frame frame) {
    long key = frame.sourceKey();
    int at = (int) (key >>> Long.SIZE - BITS);
    if (keys[at] != key || key == 0) {
      LinkAddress end = end(frame);
      keys[at] = key;
      macs[at] = end.gid().equals(Gid.ZERO) ? Ethernet.SOMEBODY : MacTable.mac(end);
    }
    return macs[at];
  }

  /** Whose a packet is; the ARP that came before a unicast one tells where it says no GID (W2). */
  LinkAddress end(Frame frame) {
    Gid gid = frame.sourceGid();
    LinkAddress heard = gid.equals(Gid.ZERO) ? table.sender(frame.slid(), frame.sourceQpn()) : null;
    return heard != null ? heard : new LinkAddress(0, frame.sourceQpn(), gid);
  }

  /** Remembers that an end sends from where a frame came from. */
  void heard(LinkAddress end, Frame frame) {
    table.sends(end, frame.slid());
    Arrays.fill(keys, 0);
  }
}
