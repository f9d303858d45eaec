package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** {@code iblinkinfo}: each link, with the speed and width that both ends support. */
final class Linkinfo {
  private static final int DOWN = 1;
  private static final int MAX_HOPS = 62;

  private Linkinfo() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    List<String> lines = new ArrayList<>();
    boolean downOnly = line.has("down");
    String limit = line.last("hops");
    int hops = limit == null ? 0 : (int) Destination.number(limit); // 0 means all
    for (Scan.Node n : chosen(Scan.of(query::get, hops == 0 ? MAX_HOPS : hops), line)) {
      if (n.isSwitch() ? line.has("cas-only") : line.has("switches-only")) {
        continue;
      }
      List<Scan.Port> ports =
          n.ports().values().stream()
              .filter(p -> p.number() != 0 && (!downOnly || down(p)))
              .toList();
      if (!ports.isEmpty() && !line.has("line")) {
        lines.add(heading(n));
      }
      for (Scan.Port p : ports) {
        lines.add(line.has("line") ? whole(p, line) : indented(p, line));
      }
    }
    return String.join("\n", lines);
  }

  /** {@return the node that an option names; all without such an option} */
  private static List<Scan.Node> chosen(Scan scan, Parsed line) {
    String guid = line.has("switch") ? line.last("switch") : line.last("port-guid");
    String route = line.last("Direct");
    if (guid != null) {
      long wanted = Destination.number(guid);
      return scan.nodes().stream()
          .filter(n -> n.ports().values().stream().anyMatch(p -> p.guid() == wanted))
          .findFirst()
          .map(List::of) // status 0, as the original's
          .orElseThrow(() -> new CommandException(0, "Failed to find port: " + guid));
    }
    if (route == null) {
      return scan.nodes();
    }
    Scan.Node at = scan.from();
    for (int hop : Route.Directed.parse("iblinkinfo", route).hops()) {
      Scan.Port out = at.ports().get(hop);
      Scan.Port next = out == null ? null : out.remote();
      if (next == null) {
        throw new CommandException("Failed to get local Node Info");
      }
      at = next.node();
    }
    return List.of(at);
  }

  private static boolean down(Scan.Port p) {
    return PortInfo.PORT_STATE.in(p.info()) == DOWN;
  }

  private static String heading(Scan.Node n) {
    return n.isSwitch()
        ? String.format("Switch: 0x%016x %s:", n.number(NodeInfo.NODE_GUID), n.description())
        : "CA: " + n.description() + ":";
  }

  private static String indented(Scan.Port p, Parsed line) {
    String prefix = p.node().isSwitch() ? "     " : String.format("      0x%016x", p.guid());
    return prefix + near(p, line) + "==>  " + far(p, line);
  }

  private static String whole(Scan.Port p, Parsed line) {
    return String.format("0x%016x \"%30s\"", p.guid(), p.node().description())
        + near(p, line)
        + "==>  "
        + far(p, line);
  }

  private static String near(Scan.Port p, Parsed line) {
    MemorySegment info = p.info();
    String state = AttributeText.state(PortInfo.PORT_STATE.in(info));
    String phys = AttributeText.physState(PortInfo.PORT_PHYS_STATE.in(info));
    String link =
        down(p)
            ? String.format("(%20s/%8s)", state, phys)
            : String.format(
                    "(%3s %18s %6s/%8s)",
                    AttributeText.width(info), AttributeText.speed(info), state, phys)
                + (line.has("additional") ? settings(info) : "");
    return String.format(" %6d %4d[  ] ==%s", p.lid(), p.number(), link);
  }

  private static String settings(MemorySegment info) {
    return String.format(
        " (HOQ:%d VL_Stall:%d)", PortInfo.HOQ_LIFE.in(info), PortInfo.VL_STALL_COUNT.in(info));
  }

  private static String far(Scan.Port p, Parsed line) {
    Scan.Port far = p.remote();
    boolean asked = line.has("switch") || line.has("port-guid");
    if (!down(p) && (far == null || asked && !p.node().isSwitch())) {
      return "    \"Port not available\""; // a scan from an adapter by its LID goes no further
    }
    if (far == null) {
      return String.format("%6s %4s[  ] \"\" ( )", "", "");
    }
    return String.format(
        "%s%6d %4d[  ] \"%s\" (%s %s)",
        line.has("line") ? String.format("0x%016x ", far.guid()) : "",
        far.lid(),
        far.number(),
        far.node().description(),
        could(p, far, false),
        could(p, far, true));
  }

  /**
   * {@return the largest speed or width that both ends support, if the link is below it; else
   * empty}
   */
  private static String could(Scan.Port p, Scan.Port far, boolean speed) {
    PortInfo able = speed ? PortInfo.LINK_SPEED_SUPPORTED : PortInfo.LINK_WIDTH_SUPPORTED;
    PortInfo active = speed ? PortInfo.LINK_SPEED_ACTIVE : PortInfo.LINK_WIDTH_ACTIVE;
    long both = able.of(p.info()) & able.of(far.info());
    String most = AttributeText.greatest(both, speed);
    boolean extended = speed && PortInfo.extendedSpeed(p.info()) != 0;
    boolean less = !most.equals(AttributeText.greatest(active.of(p.info()), speed));
    return less && !extended ? "Could be " + most : "";
  }
}
