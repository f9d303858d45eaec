package ib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;

/**
 * The path of a connection, seen from this side.
 *
 * @param way address vector to the peer
 * @param local GID of this port
 * @param remote GID of the peer's port
 * @param localLid LID of this port; ignored on RoCE
 * @param mtu path MTU
 * @param packetLife packet life time, an exponent n of 4.096 us * 2^n, 0 to 31
 * @param pkey P_Key of the partition
 * @param pkeyIndex index of the P_Key in the port's table
 */
public record CmPath(
    AhAttr way,
    Gid local,
    Gid remote,
    int localLid,
    Mtu mtu,
    int packetLife,
    int pkey,
    int pkeyIndex) {
  /** The packet life time that Linux assumes on RoCE (CM-36). */
  public static final int ROCE_PACKET_LIFE = 16;

  private static final int MAX_EXPONENT = 31;

  /**
   * Checks the exponent.
   *
   * @throws IbInvalidException if it is out of range
   */
  public CmPath {
    if (packetLife < 0 || packetLife > MAX_EXPONENT) {
      throw new IbInvalidException("packet life " + packetLife, "not an exponent", "0 to 31");
    }
  }

  /**
   * A path inside an InfiniBand subnet, in the first partition of the port's table.
   *
   * @param device the device
   * @param port from 1
   * @param dlid LID of the peer
   * @param remote GID of the peer
   * @return the path, with the active MTU of the port
   */
  public static CmPath inSubnet(IbDevice device, int port, int dlid, Gid remote) {
    return of(device, port, AhAttr.ofLid(port, dlid, 0), 0, remote);
  }

  /**
   * A path over Ethernet, in the default partition.
   *
   * @param device the device
   * @param port from 1
   * @param gidIndex index of the local GID
   * @param remote GID of the peer
   * @return the path, with the active MTU of the port
   */
  public static CmPath roce(IbDevice device, int port, int gidIndex, Gid remote) {
    AhAttr way = AhAttr.ofGid(port, GlobalRoute.to(remote, gidIndex));
    return of(device, port, way, gidIndex, remote);
  }

  /**
   * The path back to where a datagram has come from, in the first partition of the port's table.
   *
   * @param device the device
   * @param way address vector to the peer
   * @return the path, with the active MTU of the port; the peer's GID is 0 when the vector has none
   */
  public static CmPath back(IbDevice device, AhAttr way) {
    GlobalRoute route = way.grh();
    int gidIndex = route == null ? 0 : route.sgidIndex();
    return of(device, way.port(), way, gidIndex, route == null ? Gid.ZERO : route.dgid());
  }

  private static CmPath of(IbDevice device, int port, AhAttr way, int gidIndex, Gid remote) {
    PortAttr attr = device.port(port);
    Gid local = device.gid(port, gidIndex);
    int pkey = device.pkey(port, 0);
    return new CmPath(way, local, remote, attr.lid(), attr.activeMtu(), ROCE_PACKET_LIFE, pkey, 0);
  }
}
