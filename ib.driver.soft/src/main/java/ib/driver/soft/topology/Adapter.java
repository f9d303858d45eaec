package ib.driver.soft.topology;

import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import java.util.Map;
import java.util.Set;

/**
 * The adapter behind a port, as its subnet management agent changes it; each change that software
 * can tell raises its event there (the reference's section 4.4). Called under the fabric's lock.
 */
public interface Adapter {
  /**
   * A new LID: LID_CHANGE.
   *
   * @param lid 1 to 0xBFFF
   * @param lmc 0 to 7
   */
  void lid(int lid, int lmc);

  /**
   * Another subnet manager: SM_CHANGE.
   *
   * @param lid its LID
   * @param sl service level to it
   */
  void sm(int lid, int sl);

  /**
   * Another state: PORT_ACTIVE or PORT_ERR.
   *
   * @param state logical state
   * @param phys physical state
   */
  void state(PortState state, PhysState phys);

  /**
   * Another P_Key table: PKEY_CHANGE.
   *
   * @param table 16 bits each
   */
  void pkeys(int[] table);

  /**
   * Another subnet prefix or other GUIDs: GID_CHANGE.
   *
   * @param index of the GID table
   * @param prefix upper half
   * @param guid lower half, 0 for none
   */
  void gid(int index, long prefix, long guid);

  /**
   * The MTU of the link.
   *
   * @param mtu in use
   */
  void mtu(Mtu mtu);

  /**
   * Sets the width and speed to which the link has trained.
   *
   * @param width LinkWidthActive
   * @param speed code of {@code ibv_port_attr.active_speed}
   */
  void link(int width, int speed);

  /** Clients are to register anew: CLIENT_REREGISTER. */
  void reregister();

  /** {@return PortInfo CapabilityMask, 32 bits} */
  int capabilities();

  /** {@return packets with a wrong P_Key, 16 bits, sticking at the end} */
  int badPkeys();

  /** {@return packets with a wrong Q_Key, 16 bits, sticking at the end} */
  int badQkeys();

  /**
   * Reads the port counters.
   *
   * @param form which attribute
   * @return those that it has
   */
  Map<PortCounter, Long> counters(PortCounter.Form form);

  /**
   * Sets port counters to 0.
   *
   * @param form which attribute
   * @param which which counters of it
   */
  void resetCounters(PortCounter.Form form, Set<PortCounter> which);
}
