package ib.core.internal.mad;

import ib.core.mad.MadAddress;
import ib.core.wire.DrSmpHeader;

/**
 * What a channel adapter does with a directed route datagram (IBA vol. 1 section 14.2.2): pure
 * functions of its header. Switches, which forward, are not here.
 */
final class Directed {
  /** What to do. */
  enum Way {
    /** It is for this port itself. */
    LOCAL,
    /** It leaves by the wire. */
    WIRE,
    /** It is not right. */
    DROP
  }

  private Directed() {}

  /**
   * A datagram is being sent (C14-5 to C14-8 on the way out, C14-11, C14-12 on the way back): moves
   * the hop pointer.
   */
  static Way send(DrSmpHeader smp, int port) {
    int count = smp.hopCount();
    int pointer = smp.hopPointer();
    if (count > DrSmpHeader.HOPS_MOST) {
      return Way.DROP;
    }
    if (!smp.direction()) {
      if (pointer != 0 || smp.drSlid() != MadAddress.PERMISSIVE_LID) {
        return smp.drSlid() == MadAddress.PERMISSIVE_LID ? Way.DROP : Way.WIRE; // LID part first
      }
      smp.hopPointer(1);
      if (count == 0) {
        return Way.LOCAL;
      }
      return smp.initialPath(1) == port ? Way.WIRE : Way.DROP;
    }
    if (count == 0) {
      smp.hopPointer(0);
      return Way.LOCAL;
    }
    if (pointer != count + 1) {
      return Way.DROP;
    }
    smp.hopPointer(count);
    return smp.returnPath(count) == port || smp.drDlid() != MadAddress.PERMISSIVE_LID
        ? Way.WIRE
        : Way.DROP;
  }

  /**
   * A datagram has arrived (C14-9, C14-13): notes the port it came by, says whether it ends here.
   */
  static Way receive(DrSmpHeader smp, int port) {
    int count = smp.hopCount();
    int pointer = smp.hopPointer();
    if (count > DrSmpHeader.HOPS_MOST) {
      return Way.DROP;
    }
    if (!smp.direction()) {
      if (pointer == count && count > 0) {
        smp.returnPath(count, port);
        smp.hopPointer(count + 1);
        return smp.drDlid() == MadAddress.PERMISSIVE_LID ? Way.LOCAL : Way.DROP;
      }
      return pointer == count + 1 ? Way.LOCAL : Way.DROP;
    }
    if (pointer > 1) {
      return Way.DROP; // only switches are in the middle of a route
    }
    smp.hopPointer(0);
    return smp.drSlid() == MadAddress.PERMISSIVE_LID || pointer == 0 ? Way.LOCAL : Way.DROP;
  }
}
