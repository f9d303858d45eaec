package ib.core.internal.mad;

import ib.core.mad.MadAddress;
import ib.core.mad.smp.Smp;
import java.lang.foreign.MemorySegment;

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
  static Way send(MemorySegment smp, int port) {
    int count = Smp.HOP_COUNT.in(smp);
    int pointer = Smp.HOP_POINTER.in(smp);
    if (count > Smp.HOPS_MOST) {
      return Way.DROP;
    }
    if (Smp.DIRECTION.in(smp) == 0) {
      if (pointer != 0 || Smp.DR_SLID.in(smp) != MadAddress.PERMISSIVE_LID) {
        return Smp.DR_SLID.in(smp) == MadAddress.PERMISSIVE_LID
            ? Way.DROP
            : Way.WIRE; // LID part first
      }
      Smp.HOP_POINTER.set(smp, 1);
      if (count == 0) {
        return Way.LOCAL;
      }
      return Smp.initialPath(smp, 1) == port ? Way.WIRE : Way.DROP;
    }
    if (count == 0) {
      Smp.HOP_POINTER.set(smp, 0);
      return Way.LOCAL;
    }
    if (pointer != count + 1) {
      return Way.DROP;
    }
    Smp.HOP_POINTER.set(smp, count);
    return Smp.returnPath(smp, count) == port || Smp.DR_DLID.in(smp) != MadAddress.PERMISSIVE_LID
        ? Way.WIRE
        : Way.DROP;
  }

  /**
   * A datagram has arrived (C14-9, C14-13): notes the port it came by, says whether it ends here.
   */
  static Way receive(MemorySegment smp, int port) {
    int count = Smp.HOP_COUNT.in(smp);
    int pointer = Smp.HOP_POINTER.in(smp);
    if (count > Smp.HOPS_MOST) {
      return Way.DROP;
    }
    if (Smp.DIRECTION.in(smp) == 0) {
      if (pointer == count && count > 0) {
        Smp.returnPath(smp, count, port);
        Smp.HOP_POINTER.set(smp, count + 1);
        return Smp.DR_DLID.in(smp) == MadAddress.PERMISSIVE_LID ? Way.LOCAL : Way.DROP;
      }
      return pointer == count + 1 ? Way.LOCAL : Way.DROP;
    }
    if (pointer > 1) {
      return Way.DROP; // only switches are in the middle of a route
    }
    Smp.HOP_POINTER.set(smp, 0);
    return Smp.DR_SLID.in(smp) == MadAddress.PERMISSIVE_LID || pointer == 0 ? Way.LOCAL : Way.DROP;
  }
}
