package ib.ulp.ipoib.tap;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.Arrays;

/**
 * Finds the source Ethernet address of received packets, the same that the kernel has seen in ARP
 * and neighbour discovery. Caches the last answers. Used on the loop's thread only.
 */
final class Senders {
  private static final int BITS = 8;

  private final MacTable table;
  private final long[] keys = new long[1 << BITS];
  private final long[] macs = new long[1 << BITS];

  Senders(MacTable table) {
    this.table = table;
  }

  /**
   * {@return the Ethernet address of a frame's sender; one fixed address for all unknown senders}
   */
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

  /**
   * {@return the link address of a frame's sender} For a frame without a GID, an earlier ARP packet
   * from the same LID and queue pair supplies the GID (W2).
   */
  LinkAddress end(Frame frame) {
    Gid gid = frame.sourceGid();
    LinkAddress heard = gid.equals(Gid.ZERO) ? table.sender(frame.slid(), frame.sourceQpn()) : null;
    return heard != null ? heard : new LinkAddress(0, frame.sourceQpn(), gid);
  }

  /** Enters the LID of a frame as that of a link address. */
  void heard(LinkAddress end, Frame frame) {
    table.sends(end, frame.slid());
    Arrays.fill(keys, 0);
  }
}
