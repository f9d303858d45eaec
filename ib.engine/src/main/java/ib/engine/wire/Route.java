package ib.engine.wire;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;

/**
 * The fields of an address vector, read once, so that filling a packet costs a few stores.
 * Immutable.
 *
 * @param attr the address vector
 * @param dlid destination LID
 * @param sl service level, 0 to 15
 * @param pathBits bits added to the base LID of the source
 * @param port port number, from 1
 * @param global whether packets have a GRH; if not, the parameters below are 0
 * @param dgidHigh upper half of the destination GID
 * @param dgidLow lower half of the destination GID
 * @param sgidIndex index of the source GID
 * @param flowLabel flow label
 * @param hopLimit hop limit
 * @param trafficClass traffic class
 */
public record Route(
    AhAttr attr,
    int dlid,
    int sl,
    int pathBits,
    int port,
    boolean global,
    long dgidHigh,
    long dgidLow,
    int sgidIndex,
    int flowLabel,
    int hopLimit,
    int trafficClass) {
  /**
   * Reads the fields of an address vector.
   *
   * @param attr the address
   */
  public Route(AhAttr attr) {
    GlobalRoute grh = attr.grh();
    this(
        attr,
        attr.dlid(),
        attr.sl(),
        attr.srcPathBits(),
        attr.port(),
        grh != null,
        grh == null ? 0 : grh.dgid().high(),
        grh == null ? 0 : grh.dgid().low(),
        grh == null ? 0 : grh.sgidIndex(),
        grh == null ? 0 : grh.flowLabel(),
        grh == null ? 0 : grh.hopLimit(),
        grh == null ? 0 : grh.trafficClass());
  }

  /**
   * Tells whether the source of a packet is the destination of this route (IBA 9.6.1.2: connected
   * services check it).
   *
   * @param packet a received packet
   * @return whether it may come from the peer
   */
  public boolean leadsTo(Packet packet) {
    return dlid != 0
        ? packet.slid == dlid
        : packet.sgidHigh == dgidHigh && packet.sgidLow == dgidLow;
  }

  /**
   * Tells whether a GID is the destination of this route.
   *
   * @param gid the GID
   * @return whether the route leads there
   */
  public boolean leadsTo(Gid gid) {
    return gid.high() == dgidHigh && gid.low() == dgidLow;
  }

  /**
   * Fills the destination of a packet; the port adds the source.
   *
   * @param packet the packet
   */
  public void address(Packet packet) {
    packet.dlid = dlid;
    packet.sl = sl;
    packet.global = global;
    if (global) {
      packet.dgidHigh = dgidHigh;
      packet.dgidLow = dgidLow;
      packet.flowLabel = flowLabel;
      packet.hopLimit = hopLimit;
      packet.trafficClass = trafficClass;
    }
  }
}
