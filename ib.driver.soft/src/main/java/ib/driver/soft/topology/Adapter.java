package ib.driver.soft.topology;

import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import java.util.Map;
import java.util.Set;

/**
 * The adapter behind a port, as the port's subnet management agent changes the adapter. Each change
 * that software can see raises its event at the adapter. The caller holds the fabric's monitor.
 */
public interface Adapter {
  /**
   * Sets the LID, and raises LID_CHANGE.
   *
   * @param lid 1 to 0xBFFF
   * @param lmc 0 to 7
   */
  void lid(int lid, int lmc);

  /**
   * Sets the address of the subnet manager, and raises SM_CHANGE.
   *
   * @param lid LID of the subnet manager
   * @param sl service level to the subnet manager
   */
  void sm(int lid, int sl);

  /**
   * Sets the state of the port, and raises PORT_ACTIVE or PORT_ERR.
   *
   * @param state logical state
   * @param phys physical state
   */
  void state(PortState state, PhysState phys);

  /**
   * Sets the P_Key table, and raises PKEY_CHANGE.
   *
   * @param table the P_Keys, 16 bits each
   */
  void pkeys(int[] table);

  /**
   * Sets an entry of the GID table, and raises GID_CHANGE.
   *
   * @param index index of the entry
   * @param prefix the subnet prefix, upper half of the GID
   * @param guid the GUID, lower half of the GID; 0 for no entry
   */
  void gid(int index, long prefix, long guid);

  /**
   * Sets the active MTU.
   *
   * @param mtu the MTU of the link
   */
  void mtu(Mtu mtu);

  /**
   * Sets the width and speed to which the link has trained.
   *
   * @param width LinkWidthActive
   * @param speed code of {@code ibv_port_attr.active_speed}
   */
  void link(int width, int speed);

  /** Raises CLIENT_REREGISTER: clients are to register with the subnet manager again. */
  void reregister();

  /** {@return PortInfo CapabilityMask, 32 bits} */
  int capabilities();

  /** {@return the number of packets with a wrong P_Key, 0 to 0xFFFF, which it does not exceed} */
  int badPkeys();

  /** {@return the number of packets with a wrong Q_Key, 0 to 0xFFFF, which it does not exceed} */
  int badQkeys();

  /**
   * Reads the port counters.
   *
   * @param form the attribute that has the counters
   * @return the values of the counters that the adapter has
   */
  Map<PortCounter, Long> counters(PortCounter.Form form);

  /**
   * Sets port counters to 0.
   *
   * @param form the attribute that has the counters
   * @param which the counters to reset
   */
  void resetCounters(PortCounter.Form form, Set<PortCounter> which);
}
