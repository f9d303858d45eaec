package ib.tools.verbs;

import ib.core.verbs.Gid;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.core.verbs.Rate;
import java.util.Locale;

/** Formats a port as {@code ibv_devinfo} does, byte for byte (rdma-core 44, devinfo.c). */
final class PortText {
  private final StringBuilder out = new StringBuilder();

  private PortText() {}

  static String of(Hca.Port port, NodeType type, boolean verbose) {
    PortText text = new PortText();
    text.print("\t\tport:\t%d\n", port.port());
    text.brief(port.attr());
    if (verbose) {
      text.verbose(port.attr());
      if (HcaText.transport(type).equals("InfiniBand")) {
        PhysState state = port.attr().physState();
        text.print("\t\t\tphys_state:\t\t%s (%d)\n", physState(state), state.value());
      }
      port.gids().forEach((index, gid) -> text.gid(index, gid, port.attr().linkLayer()));
    }
    return text.out.toString();
  }

  private void brief(PortAttr a) {
    print("\t\t\tstate:\t\t\t%s (%d)\n", a.state().label(), a.state().value());
    print("\t\t\tmax_mtu:\t\t%s\n", mtu(a.maxMtu()));
    print("\t\t\tactive_mtu:\t\t%s\n", mtu(a.activeMtu()));
    print("\t\t\tsm_lid:\t\t\t%d\n", a.smLid());
    print("\t\t\tport_lid:\t\t%d\n", a.lid());
    print("\t\t\tport_lmc:\t\t0x%02x\n", a.lmc());
    print("\t\t\tlink_layer:\t\t%s\n", a.linkLayer().label());
  }

  private void verbose(PortAttr a) {
    print("\t\t\tmax_msg_sz:\t\t0x%x\n", a.maxMsgSize());
    print("\t\t\tport_cap_flags:\t\t0x%08x\n", a.capFlags());
    print("\t\t\tport_cap_flags2:\t0x%04x\n", a.capFlags2());
    print("\t\t\tmax_vl_num:\t\t%s (%d)\n", vls(a.maxVl()), a.maxVl());
    print("\t\t\tbad_pkey_cntr:\t\t0x%x\n", a.badPkeyCounter());
    print("\t\t\tqkey_viol_cntr:\t\t0x%x\n", a.qkeyViolationCounter());
    print("\t\t\tsm_sl:\t\t\t%d\n", a.smSl());
    print("\t\t\tpkey_tbl_len:\t\t%d\n", a.pkeyTableLen());
    print("\t\t\tgid_tbl_len:\t\t%d\n", a.gidTableLen());
    print("\t\t\tsubnet_timeout:\t\t%d\n", a.subnetTimeout());
    print("\t\t\tinit_type_reply:\t%d\n", a.initTypeReply());
    print("\t\t\tactive_width:\t\t%sX (%d)\n", width(a.activeWidth()), a.activeWidth());
    print("\t\t\tactive_speed:\t\t%s (%d)\n", speed(a.activeSpeed()), a.activeSpeed());
  }

  private void gid(int index, Gid gid, LinkLayer layer) {
    String text =
        layer == LinkLayer.ETHERNET
            ? gid + ", RoCE v2"
            : gid.toHex32().replaceAll("(....)(?!$)", "$1:");
    print("\t\t\tGID[%3d]:\t\t%s\n", index, text);
  }

  private static String mtu(Mtu mtu) {
    return mtu.bytes() + " (" + mtu.value() + ")";
  }

  /** IBA 14.2.5.6, PortInfo.VLCap. */
  private static String vls(int value) {
    return switch (value) {
      case 1 -> "1";
      case 2 -> "2";
      case 3 -> "4";
      case 4 -> "8";
      case 5 -> "15";
      default -> "invalid value";
    };
  }

  /** IBA 14.2.5.6, PortInfo.LinkWidthActive. */
  private static String width(int value) {
    int lanes = Rate.lanes(value);
    return lanes == 0 ? "invalid width" : String.valueOf(lanes);
  }

  /** IBA 14.2.5.6, PortInfo.LinkSpeedActive and its extensions. */
  private static String speed(int value) {
    long lane = Rate.ofLane(value);
    return lane == 0 ? "invalid speed" : String.format(Locale.ROOT, "%.1f Gbps", lane / 1e9);
  }

  private static String physState(PhysState state) {
    return switch (state) {
      case SLEEP -> "SLEEP";
      case POLLING -> "POLLING";
      case DISABLED -> "DISABLED";
      case PORT_CONFIGURATION_TRAINING -> "PORT_CONFIGURATION TRAINNING"; // as devinfo spells it
      case LINK_UP -> "LINK_UP";
      case LINK_ERROR_RECOVERY -> "LINK_ERROR_RECOVERY";
      case PHY_TEST -> "PHY TEST";
    };
  }

  private void print(String format, Object... args) {
    out.append(String.format(Locale.ROOT, format, args));
  }
}
