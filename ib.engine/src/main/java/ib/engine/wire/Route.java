package ib.engine.wire;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;

/**
 * The fields of an address vector, read once, so that filling a packet costs a few stores.
 * Immutable.
 */
public final class Route {
  private final AhAttr attr;
  private final int dlid;
  private final int sl;
  private final int pathBits;
  private final int port;
  private final boolean global;
  private final long dgidHigh;
  private final long dgidLow;
  private final int sgidIndex;
  private final int flowLabel;
  private final int hopLimit;
  private final int trafficClass;

  /**
   * Reads the fields of an address vector.
   *
   * @param attr the address
   */
  public Route(AhAttr attr) {
    this.attr = attr;
    this.dlid = attr.dlid();
    this.sl = attr.sl();
    this.pathBits = attr.srcPathBits();
    this.port = attr.port();
    GlobalRoute grh = attr.grh();
    this.global = grh != null;
    this.dgidHigh = grh == null ? 0 : grh.dgid().high();
    this.dgidLow = grh == null ? 0 : grh.dgid().low();
    this.sgidIndex = grh == null ? 0 : grh.sgidIndex();
    this.flowLabel = grh == null ? 0 : grh.flowLabel();
    this.hopLimit = grh == null ? 0 : grh.hopLimit();
    this.trafficClass = grh == null ? 0 : grh.trafficClass();
  }

  /** {@return the address vector of the constructor} */
  public AhAttr attr() {
    return attr;
  }

  /** {@return destination LID} */
  public int dlid() {
    return dlid;
  }

  /** {@return service level, 0 to 15} */
  public int sl() {
    return sl;
  }

  /** {@return port number, from 1} */
  public int port() {
    return port;
  }

  /** {@return whether packets have a GRH} */
  public boolean global() {
    return global;
  }

  /** {@return traffic class; 0 when packets have no GRH} */
  public int trafficClass() {
    return trafficClass;
  }

  /** {@return index of the source GID} */
  public int sgidIndex() {
    return sgidIndex;
  }

  /** {@return bits added to the base LID of the source} */
  public int pathBits() {
    return pathBits;
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

  /** {@return upper half of the destination GID; 0 when packets have no GRH} */
  public long dgidHigh() {
    return dgidHigh;
  }

  /** {@return lower half of the destination GID; 0 when packets have no GRH} */
  public long dgidLow() {
    return dgidLow;
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
