package ib.driver.soft.fabric;

import ib.core.verbs.Gid;
import ib.driver.soft.topology.NodePort;

/**
 * The subnet manager of a subnet that no client of the ibsim server manages. The caller holds the
 * fabric's monitor.
 */
public interface ResidentSm {
  /** Links have come or gone: ports that are in INIT are taken to ACTIVE before it returns. */
  void sweep();

  /**
   * The link of an adapter's port has come or gone: a port that is in INIT is taken to ACTIVE
   * before it returns. Sweeps, where nothing less is known.
   *
   * @param port which
   */
  default void linked(NodePort port) {
    sweep();
  }

  /**
   * Software has attached to a group, or detached, without asking the subnet administrator.
   *
   * @param port where
   * @param group which
   * @param mlid multicast LID
   * @param attached whether it is attached now
   */
  void attached(NodePort port, Gid group, int mlid, boolean attached);

  /**
   * The LID that a port has or will have.
   *
   * @param port which
   * @return the LID
   */
  int lid(NodePort port);

  /**
   * The P_Keys that a port was configured with.
   *
   * @param port which
   * @param table 16 bits each
   */
  void pkeys(NodePort port, int[] table);

  /**
   * A port has gone for good: its LID and memberships are given back.
   *
   * @param port which
   */
  void forget(NodePort port);

  /** Another subnet manager has come or gone, or the priority is another one. */
  void yield();

  /** {@return when there is something to do by the clock, Long.MAX_VALUE for never} */
  long dueNs();

  /** Does what is due. */
  void tick();
}
