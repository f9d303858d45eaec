package ib.driver.soft.sm;

import ib.core.verbs.IbNoMemoryException;
import ib.driver.soft.topology.NodePort;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The LIDs of ports, with LMC 0. An adapter's port gets the lowest free LID from 1, a switch the
 * highest one, so that the LIDs of adapters follow each other. A port keeps its LID until {@link
 * #forget}, also a LID that another subnet manager has assigned.
 */
final class LidPool {
  private static final int LID_LAST = 0xBFFF; // IBA 4.1.3

  private final String subnet;
  private final int last;
  private final BitSet used = new BitSet();
  private final Map<NodePort, Integer> given = new HashMap<>();

  LidPool(String subnet) {
    this(subnet, LID_LAST);
  }

  LidPool(String subnet, int last) {
    this.subnet = subnet;
    this.last = last;
    used.set(0); // reserved (IBA 4.1.3)
  }

  /** {@return the LID of a port} */
  int lid(NodePort port) {
    Integer own = given.get(port);
    if (own != null) {
      return own;
    }
    int lid = port.lid();
    if (lid == 0 || used.get(lid)) {
      lid = port.node().isSwitch() ? used.previousClearBit(last) : used.nextClearBit(1);
    }
    if (lid < 1 || lid > last) {
      throw new IbNoMemoryException(subnet, "all " + last + " LIDs are in use", "another switch");
    }
    used.set(lid);
    given.put(port, lid);
    return lid;
  }

  /** {@return the LID that was assigned to a port, 0 for none} */
  int given(NodePort port) {
    return given.getOrDefault(port, 0);
  }

  /** Gives the LID of a port back. */
  void forget(NodePort port) {
    Integer lid = given.remove(port);
    if (lid != null) {
      used.clear(lid);
    }
  }

  /** Forgets all assignments; the next call of {@link #lid} adopts the LID that a port has. */
  void clear() {
    given.clear();
    used.clear();
    used.set(0);
  }
}
