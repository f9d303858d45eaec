package ib.tools.rdma;

import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortAttr;
import ib.tools.output.Listing;
import ib.tools.output.Units;
import ib.tools.output.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** {@code rdma link}. */
final class LinkObject {
  /** Bits of PortInfo.CapabilityMask (IBA 14.2.5.6), in the tool's spelling. */
  private static final List<String> CAPS =
      List.of(
          "RESERVED",
          "SM",
          "NOTICE",
          "TRAP",
          "OPT_IPD",
          "AUTO_MIGR",
          "SL_MAP",
          "MKEY_NVRAM",
          "PKEY_NVRAM",
          "LED_INFO",
          "SM_DISABLED",
          "SYS_IMAGE_GUID",
          "PKEY_SW_EXT_PORT_TRAP",
          "CABLE_INFO",
          "EXTENDED_SPEEDS",
          "CAP_MASK2",
          "CM",
          "SNMP_TUNNEL",
          "REINIT",
          "DEVICE_MGMT",
          "VENDOR_CLASS",
          "DR_NOTICE",
          "CAP_MASK_NOTICE",
          "BOOT_MGMT",
          "LINK_LATENCY",
          "CLIENT_REG",
          "OTHER_LOCAL_CHANGES",
          "LINK_SPPED_WIDTH",
          "VENDOR_SPECIFIC_MADS",
          "MULT_PKER_TRAP",
          "MULT_FDB",
          "HIERARCHY_INFO",
          "SET_NODE_DESC",
          "EXT_INFO",
          "VIRT",
          "SWITCH_POR_STATE_TABLE",
          "LINK_WIDTH_2X",
          "LINK_SPEED_HDR");

  private LinkObject() {}

  static Object run(View view, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("add", words -> Rdma.unsupported("link add"));
    commands.put("delete", words -> Rdma.unsupported("link delete"));
    commands.put("show", words -> show(view, words));
    commands.put("list", words -> show(view, words));
    commands.put("help", words -> Usage.of("rdma_link"));
    return all.dispatch("link command", words -> show(view, words), commands);
  }

  private static Listing<Line> show(View view, Words words) {
    List<View.Link> links = view.links(words, true);
    words.end();
    return view.listing(links.stream().map(l -> line(view, l)).toList());
  }

  private static Line line(View view, View.Link link) {
    IbDevice device = view.device(link.device());
    PortAttr attr = device.queryPort(link.port());
    Line line = new Line();
    line.put("ifindex", link.device().index(), "");
    line.put("ifname", link.device().name(), "link " + link.device().name() + "/");
    line.put("port", link.port(), link.port() + " ");
    boolean infiniband = attr.linkLayer() == LinkLayer.INFINIBAND;
    if (infiniband) {
      line.put("subnet_prefix", Units.guid(device.gid(link.port(), 0).subnetPrefix()));
      line.put("lid", attr.lid()).put("sm_lid", attr.smLid()).put("lmc", attr.lmc());
    }
    line.put("state", attr.state().name());
    line.put("physical_state", physicalState(attr.physState()));
    if (view.details() && infiniband) {
      line.putCaps(caps((attr.capFlags() & 0xffff_ffffL) | (long) attr.capFlags2() << 32));
    }
    return line;
  }

  private static List<String> caps(long flags) {
    List<String> names = new ArrayList<>();
    for (int bit = 0; bit < Long.SIZE; bit++) {
      if ((flags >>> bit & 1) != 0) {
        names.add(bit < CAPS.size() ? CAPS.get(bit) : "UNKNOWN");
      }
    }
    return names;
  }

  private static String physicalState(PhysState state) {
    return switch (state) {
      case SLEEP -> "SLEEP";
      case POLLING -> "POLLING";
      case DISABLED -> "DISABLED";
      case PORT_CONFIGURATION_TRAINING -> "ARMED"; // the tool's name
      case LINK_UP -> "LINK_UP";
      case LINK_ERROR_RECOVERY -> "LINK_ERROR_RECOVER";
      case PHY_TEST -> "PHY_TEST";
    };
  }
}
