package ib.core.internal.event;

import ib.core.verbs.Gid;
import ib.core.verbs.MaySleep;
import ib.core.verbs.PortAttr;

/**
 * The core's copy of a device's port attributes and tables. Readers take no lock and see one
 * immutable snapshot per port. Before the first load a read queries the driver.
 */
public interface DeviceCaches {
  /**
   * The port attributes.
   *
   * @param port from 1
   * @return as of the last refresh
   * @throws ib.core.verbs.IbInvalidException for any other port
   */
  PortAttr port(int port);

  /**
   * One entry of the GID table.
   *
   * @param port from 1
   * @param index 0 to gidTableLen - 1
   * @return as of the last refresh
   * @throws ib.core.verbs.IbInvalidException for any other port or index
   */
  Gid gid(int port, int index);

  /**
   * One entry of the P_Key table.
   *
   * @param port from 1
   * @param index 0 to pkeyTableLen - 1
   * @return as of the last refresh, 16 bits
   * @throws ib.core.verbs.IbInvalidException for any other port or index
   */
  int pkey(int port, int index);

  /**
   * Queries the driver for the attributes and tables of a port.
   *
   * @param port from 1
   * @throws RuntimeException any exception of the driver; the snapshot stays as it was
   */
  @MaySleep
  void refresh(int port);
}
