package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code ibnetdiscover}, {@code ibhosts}, {@code ibswitches} and {@code ibnodes}. */
final class Netdiscover {
  private static final DateTimeFormatter CTIME =
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT);
  private static final String FAR_BLANK = " ".repeat(36);

  private Netdiscover() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    int[] asked = {0};
    Scan.Reader counting =
        (to, attribute, modifier) -> {
          asked[0]++;
          return query.get(to, attribute, modifier);
        };
    Scan scan = Scan.of(counting);
    if (line.has("ports")) {
      return ports(scan);
    }
    if (line.has("list") || line.has("Hca_list") || line.has("Switch_list")) {
      boolean all = line.has("list");
      List<String> lines = new ArrayList<>();
      if (all || line.has("Hca_list")) {
        list(lines, scan, false);
      }
      if (all || line.has("Switch_list")) {
        list(lines, scan, true);
      }
      return String.join("\n", lines);
    }
    if (line.has("Router_list")) {
      return "";
    }
    return topology(scan, line, asked[0]);
  }

  private static void list(List<String> lines, Scan scan, boolean switches) {
    for (Scan.Node n : scan.nodes()) {
      if (n.isSwitch() == switches) {
        lines.add(
            String.format(
                "%s\t : 0x%016x ports %d devid 0x%x vendid 0x%x \"%s\"",
                switches ? "Switch" : "Ca",
                n.number(NodeInfo.NODE_GUID),
                n.value(NodeInfo.NUM_PORTS),
                n.value(NodeInfo.DEVICE_ID),
                n.value(NodeInfo.VENDOR_ID),
                n.description()));
      }
    }
  }

  static String nodes(Scan scan) {
    return (hosts(scan) + "\n" + switches(scan)).strip();
  }

  static String hosts(Scan scan) {
    return some(scan, false);
  }

  static String switches(Scan scan) {
    return some(scan, true);
  }

  private static String some(Scan scan, boolean switches) {
    List<String> lines = new ArrayList<>();
    for (Scan.Node n : scan.nodes()) {
      if (n.isSwitch() == switches) {
        lines.add(
            String.format(
                "%s\t: 0x%016x ports %d \"%s\"%s",
                switches ? "Switch" : "Ca",
                n.number(NodeInfo.NODE_GUID),
                n.value(NodeInfo.NUM_PORTS),
                n.description(),
                switches ? " " + base(n) : ""));
      }
    }
    return String.join("\n", lines);
  }

  private static String base(Scan.Node n) {
    Scan.Port zero = n.port(0);
    return String.format(
        "%s port 0 lid %d lmc %d", n.enhanced() ? "enhanced" : "base", zero.lid(), zero.lmc());
  }

  // ---- the topology file ----

  private static String topology(Scan scan, Parsed line, int asked) {
    StringBuilder out = new StringBuilder("#\n# Topology file: generated on ");
    out.append(CTIME.format(Instant.now().atZone(ZoneId.systemDefault()))).append("\n#\n");
    if (line.has("max_hops")) {
      out.append("# Reported max hops discovered: ").append(scan.deepest());
      out.append("\n# Total MADs used: ").append(asked).append('\n');
    }
    out.append(
        String.format(
            "# Initiated from node %016x port %016x\n",
            scan.from().number(NodeInfo.NODE_GUID), scan.fromPort().guid()));
    if (line.has("grouping")) {
      out.append("\nNon-Chassis Nodes\n"); // this command knows no maker's chassis
    }
    for (boolean switches : new boolean[] {true, false}) {
      for (Scan.Node n : scan.nodes()) {
        if (n.isSwitch() == switches) {
          node(out, n, line);
        }
      }
    }
    return out.toString().stripTrailing();
  }

  private static void node(StringBuilder out, Scan.Node n, Parsed line) {
    long guid = n.number(NodeInfo.NODE_GUID);
    boolean sw = n.isSwitch();
    out.append(
        String.format(
            "\nvendid=0x%x\ndevid=0x%x\nsysimgguid=0x%x\n%s=0x%x%s\n%s\t%d %s\t\t# \"%s\"%s\n",
            n.value(NodeInfo.VENDOR_ID),
            n.value(NodeInfo.DEVICE_ID),
            n.number(NodeInfo.SYSTEM_IMAGE_GUID),
            sw ? "switchguid" : "caguid",
            guid,
            sw
                ? String.format("(%x)", n.number(NodeInfo.PORT_GUID))
                    + (line.has("grouping") ? "\t# " : "")
                : "",
            sw ? "Switch" : "Ca",
            n.value(NodeInfo.NUM_PORTS),
            name(n),
            n.description(),
            sw ? " " + base(n) : ""));
    for (Scan.Port p : n.ports().values()) {
      Scan.Port far = p.remote();
      if (p.number() != 0 && far != null) {
        out.append(sw ? switchPort(p, far) : adapterPort(p, far));
        out.append(line.has("full") ? speeds(p.info()) : "").append('\n');
      }
    }
  }

  /** {@return the quoted name, for example {@code "S-0000000000200000"}} */
  private static String name(Scan.Node n) {
    return String.format("\"%s-%016x\"", n.isSwitch() ? "S" : "H", n.number(NodeInfo.NODE_GUID));
  }

  private static String switchPort(Scan.Port p, Scan.Port far) {
    String guid = far.node().isSwitch() ? "" : String.format("(%x) ", far.guid());
    return String.format(
        "[%d]\t%s[%d]%s\t\t# \"%s\" lid %d %s",
        p.number(),
        name(far.node()),
        far.number(),
        guid,
        far.node().description(),
        far.lid(),
        link(p.info(), ""));
  }

  private static String adapterPort(Scan.Port p, Scan.Port far) {
    return String.format(
        "[%d](%x) \t%s[%d]%s\t\t# lid %d lmc %d \"%s\" lid %d %s",
        p.number(),
        p.guid(),
        name(far.node()),
        far.number(),
        far.node().isSwitch() ? "" : String.format(" (%x) ", far.guid()),
        p.lid(),
        p.lmc(),
        far.node().description(),
        far.lid(),
        link(p.info(), ""));
  }

  private static String link(MemorySegment info, String between) {
    return AttributeText.width(info).toLowerCase(Locale.ROOT) + between + generation(info);
  }

  private static String generation(MemorySegment info) {
    return switch (PortInfo.extendedSpeed(info)) {
      case 1 -> "FDR";
      case 2 -> "EDR";
      case 4 -> "HDR";
      case 8 -> "NDR";
      case 32 -> "XDR";
      default ->
          switch (PortInfo.LINK_SPEED_ACTIVE.in(info)) {
            case 1 -> "SDR";
            case 2 -> "DDR";
            case 4 -> "QDR";
            default -> "???";
          };
    };
  }

  private static String speeds(MemorySegment info) {
    return String.format(
        " s=%d w=%d v=%d",
        PortInfo.LINK_SPEED_ACTIVE.in(info),
        PortInfo.LINK_WIDTH_ACTIVE.in(info),
        PortInfo.VL_CAP.in(info));
  }

  // ---- the ports report ----

  private static String ports(Scan scan) {
    List<String> lines = new ArrayList<>();
    for (Scan.Node n : scan.nodes()) {
      for (Scan.Port p : n.ports().descendingMap().values()) {
        if (p.number() != 0) {
          lines.add(near(p) + far(p, p.remote()));
        }
      }
    }
    return String.join("\n", lines);
  }

  private static String near(Scan.Port p) {
    return kind(p) + " " + link(p.info(), " ");
  }

  private static String kind(Scan.Port p) {
    String type = p.node().isSwitch() ? "SW" : "CA";
    return String.format("%2s %5d %2d 0x%016x", type, p.lid(), p.number(), p.guid());
  }

  private static String far(Scan.Port p, Scan.@Nullable Port far) {
    String here = p.node().description();
    return far == null
        ? FAR_BLANK + "'" + here + "'"
        : String.format(" - %s ( '%s' - '%s' )", kind(far), here, far.node().description());
  }
}
