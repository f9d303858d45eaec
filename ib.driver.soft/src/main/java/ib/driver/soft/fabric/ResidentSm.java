package ib.driver.soft.fabric;

import ib.core.verbs.Gid;
import ib.driver.soft.topology.NodePort;

/**
 * The subnet manager of a subnet that no client of the ibsim server manages. The caller holds the
 * fabric's monitor.
 */
public interface ResidentSm {
  /** Follows links that have come up or gone down; ports in INIT are ACTIVE afterwards. */
  void sweep();

  /**
   * Follows the link of an adapter's port that has come up or gone down; a port in INIT is ACTIVE
   * afterwards. This implementation sweeps the whole subnet.
   *
   * @param port the port
   */
  default void linked(NodePort port) {
    sweep();
  }

  /**
   * Follows software that has attached to a group, or detached, without a request to the subnet
   * administrator.
   *
   * @param port the port of the software
   * @param group the group
   * @param mlid the multicast LID of the group
   * @param attached whether the software is attached now
   */
  void attached(NodePort port, Gid group, int mlid, boolean attached);

  /**
   * Returns the LID that a port has or will have.
   *
   * @param port the port
   * @return the LID
   */
  int lid(NodePort port);

  /**
   * Sets the P_Keys that a port has by its configuration.
   *
   * @param port the port
   * @param table the P_Keys, 16 bits each
   */
  void pkeys(NodePort port, int[] table);

  /**
   * Releases the LID and the memberships of a port that has gone for good.
   *
   * @param port the port
   */
  void forget(NodePort port);

  /** Follows another subnet manager that has come or gone, or a new priority. */
  void yield();

  /** {@return when {@link #tick} is due, in nanoseconds; Long.MAX_VALUE for never} */
  long dueNs();

  /** Does what is due. */
  void tick();
}
