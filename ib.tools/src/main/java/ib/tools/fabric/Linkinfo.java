package ib.tools.fabric;

import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.tools.getopt.Parsed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** {@code iblinkinfo}: each link, with the speed and width that both ends support. */
final class Linkinfo {
  private static final int DOWN = 1;

  private Linkinfo() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    List<String> lines = new ArrayList<>();
    boolean downOnly = line.has("down");
    for (Scan.Node n : Scan.of(query).nodes()) {
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
        lines.add(line.has("line") ? whole(p) : indented(p));
      }
    }
    return String.join("\n", lines);
  }

  private static boolean down(Scan.Port p) {
    return PortInfo.PORT_STATE.in(p.info()) == DOWN;
  }

  private static String heading(Scan.Node n) {
    return n.isSwitch()
        ? String.format("Switch: 0x%016x %s:", n.number(NodeInfo.NODE_GUID), n.description())
        : "CA: " + n.description() + ":";
  }

  private static String indented(Scan.Port p) {
    String prefix = p.node().isSwitch() ? "     " : String.format("      0x%016x", p.guid());
    return prefix + near(p) + "==>  " + far(p, false);
  }

  private static String whole(Scan.Port p) {
    return String.format("0x%016x \"%30s\"", p.guid(), p.node().description())
        + near(p)
        + "==>  "
        + far(p, true);
  }

  private static String near(Scan.Port p) {
    MemorySegment info = p.info();
    String state = AttributeText.state(PortInfo.PORT_STATE.in(info));
    String phys = AttributeText.physState(PortInfo.PORT_PHYS_STATE.in(info));
    String link =
        down(p)
            ? String.format("(%20s/%8s)", state, phys)
            : String.format(
                "(%3s %18s %6s/%8s)",
                AttributeText.width(info), AttributeText.speed(info), state, phys);
    return String.format(" %6d %4d[  ] ==%s", p.lid(), p.number(), link);
  }

  private static String far(Scan.Port p, boolean guid) {
    Scan.Port far = p.remote();
    if (far == null) {
      return String.format("%6s %4s[  ] \"\" ( )", "", "");
    }
    return String.format(
        "%s%6d %4d[  ] \"%s\" (%s %s)",
        guid ? String.format("0x%016x ", far.guid()) : "",
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
