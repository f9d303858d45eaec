package ib.core.mad.smp;

import java.lang.foreign.MemorySegment;

/**
 * The handling of a datagram on a directed route by a node (IBA vol. 1 section 14.2.2): functions
 * that read its header and move its hop pointer. Only this class decides whether the header's hops
 * lie in the datagram.
 */
public final class DirectedRoute {
  /** The decision of an adapter about a datagram. */
  public enum Way {
    /** The datagram is for this port itself. */
    LOCAL,
    /** The datagram leaves by the wire. */
    WIRE,
    /** The header is not valid. */
    DROP
  }

  /** Result of {@link #forward} for a datagram that is for the switch itself. */
  public static final int ENDS = -1;

  /** Result of {@link #forward} for a datagram that has no route; no external port has number 0. */
  public static final int NO_WAY = 0;

  private DirectedRoute() {}

  /**
   * Whether the hops of a datagram lie in it: a node that is given another one drops it.
   *
   * @param smp 256 bytes
   * @return whether HopCount and HopPointer are what a sender that keeps to IBA 14.2.2 can set
   */
  public static boolean valid(MemorySegment smp) {
    int count = Smp.HOP_COUNT.in(smp);
    return count <= Smp.MAX_HOPS && Smp.HOP_POINTER.in(smp) <= count + 1;
  }

  /**
   * An adapter sends a datagram (C14-5 to C14-8 on the way out, C14-11, C14-12 on the way back):
   * moves the hop pointer.
   *
   * @param smp 256 bytes
   * @param port the adapter's port
   * @return where it goes
   */
  public static Way send(MemorySegment smp, int port) {
    int count = Smp.HOP_COUNT.in(smp);
    int pointer = Smp.HOP_POINTER.in(smp);
    if (!valid(smp)) {
      return Way.DROP;
    }
    if (Smp.DIRECTION.in(smp) == 0) {
      if (pointer != 0 || Smp.DR_SLID.in(smp) != Smp.PERMISSIVE_LID) {
        return Smp.DR_SLID.in(smp) == Smp.PERMISSIVE_LID ? Way.DROP : Way.WIRE; // LID part first
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
    return Smp.returnPath(smp, count) == port || Smp.DR_DLID.in(smp) != Smp.PERMISSIVE_LID
        ? Way.WIRE
        : Way.DROP;
  }

  /**
   * A datagram has arrived at an adapter (C14-9, C14-13): notes the port it came by.
   *
   * @param smp 256 bytes
   * @param port the adapter's port
   * @return whether it ends here; never by the wire
   */
  public static Way receive(MemorySegment smp, int port) {
    int count = Smp.HOP_COUNT.in(smp);
    int pointer = Smp.HOP_POINTER.in(smp);
    if (!valid(smp)) {
      return Way.DROP;
    }
    if (Smp.DIRECTION.in(smp) == 0) {
      if (pointer == count && count > 0) {
        Smp.returnPath(smp, count, port);
        Smp.HOP_POINTER.set(smp, count + 1);
        return Smp.DR_DLID.in(smp) == Smp.PERMISSIVE_LID ? Way.LOCAL : Way.DROP;
      }
      return pointer == count + 1 ? Way.LOCAL : Way.DROP;
    }
    if (pointer > 1) {
      return Way.DROP; // only switches are in the middle of a route
    }
    Smp.HOP_POINTER.set(smp, 0);
    return Smp.DR_SLID.in(smp) == Smp.PERMISSIVE_LID || pointer == 0 ? Way.LOCAL : Way.DROP;
  }

  /**
   * A datagram has arrived at a switch (C14-9, C14-10, C14-13): notes the port it came by, and
   * moves the hop pointer when it goes on.
   *
   * @param smp 256 bytes
   * @param port the port it came by
   * @return the number of the port it leaves by, {@link #ENDS}, or {@link #NO_WAY}
   */
  public static int forward(MemorySegment smp, int port) {
    int count = Smp.HOP_COUNT.in(smp);
    int pointer = Smp.HOP_POINTER.in(smp);
    if (!valid(smp)) {
      return NO_WAY;
    }
    if (Smp.DIRECTION.in(smp) == 0) {
      if (pointer >= count) {
        return ENDS;
      }
      Smp.returnPath(smp, pointer, port);
      Smp.HOP_POINTER.set(smp, pointer + 1);
      return Smp.initialPath(smp, pointer + 1);
    }
    if (pointer < 2) {
      return ENDS;
    }
    Smp.HOP_POINTER.set(smp, pointer - 1);
    return Smp.returnPath(smp, pointer - 1);
  }
}
