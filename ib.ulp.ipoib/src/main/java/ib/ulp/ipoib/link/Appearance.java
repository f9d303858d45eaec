package ib.ulp.ipoib.link;

import ib.core.sa.McMemberRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;

/** Computes the link's state as users and the host see it: address, MTU and speed. */
final class Appearance {
  private static final int MIN_MTU = 72;
  private static final int MTU_FIRST = 2044;

  private final IbDevice device;
  private final int port;
  private final LinkConfig config;

  Appearance(IbDevice device, int port, LinkConfig config) {
    this.device = device;
    this.port = port;
    this.config = config;
  }

  boolean ethernet() {
    return device.port(port).linkLayer() == LinkLayer.ETHERNET;
  }

  /**
   * {@return the index of the link address's GID: the first, on RoCE the first that is an IPv4
   * address}
   */
  int gidIndex() {
    if (!ethernet()) {
      return 0;
    }
    int entries = device.port(port).gidTableLen();
    for (int i = 0; i < entries; i++) {
      if (device.gid(port, i).isIpv4Mapped()) {
        return i;
      }
    }
    return entries - 1; // without an IPv4 address: the last entry, which is empty
  }

  /** {@return what keeps the port from carrying the link, in words; empty if nothing does} */
  String obstacle(int pkeyIndex) {
    PortAttr attr = device.port(port);
    if (attr.state() != PortState.ACTIVE) {
      return "waiting: port " + attr.state();
    }
    if (pkeyIndex < 0 || Partition.key(device, port, pkeyIndex) == 0) {
      return String.format("waiting: P_Key 0x%04x missing", config.pkey());
    }
    return device.gid(port, gidIndex()).equals(Gid.ZERO) ? "waiting: port has no GID" : "";
  }

  /** {@return the longest IP packet in bytes that a datagram carries (I9)} */
  int datagramMtu(McMemberRecord all) {
    int group = Mtu.of(all.value(McMemberRecord.Field.MTU)).bytes();
    PortAttr attr = device.port(port);
    int most = Math.min(attr.maxMtu().bytes(), attr.activeMtu().bytes());
    return Math.min(group, most) - Encapsulation.BYTES;
  }

  LinkState up(McMemberRecord all, LinkAddress address, int datagramMtu, boolean connected) {
    int most = connected ? ConnectedMode.MTU : datagramMtu; // I9, C6
    return new LinkState(
        true,
        "up",
        config.mtu() < MIN_MTU ? most : Math.min(most, config.mtu()),
        address,
        all.gid(McMemberRecord.Field.MGID),
        device.port(port).bitsPerSecond());
  }

  /**
   * {@return the state without carrier; MTU and broadcast group are those of the previous state}
   */
  LinkState down(String why, @Nullable LinkState was, LinkAddress address) {
    int mtu = was == null ? MTU_FIRST : was.mtu();
    Gid broadcast =
        was == null ? Groups.broadcast(config.pkey(), Groups.LINK_LOCAL) : was.broadcast();
    return new LinkState(false, why, mtu, address, broadcast, device.port(port).bitsPerSecond());
  }
}
