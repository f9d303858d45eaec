package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code ibtracert -m}: the path to one receiver of a multicast group, by the multicast forwarding
 * tables.
 */
final class MulticastTrace {
  private static final int FIRST = 0xC000;
  private static final int MLIDS = 32; // MLIDs of a block
  private static final int PORTS = 16; // ports of a position

  private final SmpQuery query;
  private final int mlid;
  private final Map<Scan.Node, Scan.Port> cameBy =
      new HashMap<>(); // the port by which the path enters a node

  private MulticastTrace(SmpQuery query, int mlid) {
    this.query = query;
    this.mlid = mlid;
  }

  static String text(
      SmpQuery query, Scan scan, Scan.Port here, Scan.Port there, String mlid, boolean brief)
      throws NoAnswerException {
    int number = (int) Destination.number(mlid);
    if (number < FIRST || number > 0xFFFF) {
      throw Tracert.failed("invalid MLID; must be 0xc000 or larger");
    }
    if (here.node() == there.node()) {
      throw Tracert.failed("from a node to itself there is no multicast route");
    }
    return new MulticastTrace(query, number).text(here, there, brief);
  }

  private String text(Scan.Port here, Scan.Port there, boolean brief) throws NoAnswerException {
    Scan.Port end = find(here, there);
    if (end == null) {
      throw Tracert.failed("can't find a multicast route from src to dest");
    }
    List<String> lines = new ArrayList<>();
    lines.add(end("To", end));
    for (Scan.Port in = end; in != null; in = cameBy.get(out(in).node())) {
      lines.addFirst(hop(out(in), in, brief));
    }
    lines.addFirst(end("From", here));
    return String.join("\n", lines);
  }

  private static Scan.Port out(Scan.Port in) throws NoAnswerException {
    Scan.Port out = in.remote();
    if (out == null) {
      throw Tracert.failed("a link of the route has gone");
    }
    return out;
  }

  /** {@return the port where a packet arrives at the receiver; null when it does not} */
  private Scan.@Nullable Port find(Scan.Port here, Scan.Port there) throws NoAnswerException {
    Deque<Scan.Node> open = new ArrayDeque<>(List.of(here.node()));
    Set<Scan.Node> seen = new HashSet<>(open);
    for (Scan.Node node = open.poll(); node != null; node = open.poll()) {
      for (Scan.Port out : node.isSwitch() ? receivers(node) : List.of(here)) {
        Scan.Port in = out.remote();
        boolean back = out.equals(cameBy.get(node));
        if (in == null || back) {
          continue;
        }
        boolean end = there.node().isSwitch() ? in.node() == there.node() : in == there;
        if (seen.add(in.node())) {
          cameBy.put(in.node(), in);
          if (in.node().isSwitch()) {
            open.add(in.node());
          }
        }
        if (end) {
          return in;
        }
      }
    }
    return null;
  }

  private List<Scan.Port> receivers(Scan.Node node) throws NoAnswerException {
    int index = mlid - FIRST;
    MemorySegment info = query.get(node.route(), SmpAttribute.SWITCH_INFO, 0);
    int ports = node.value(NodeInfo.NUM_PORTS);
    List<Scan.Port> found = new ArrayList<>();
    if (index >= SwitchInfo.MULTICAST_FDB_CAP.in(info)) {
      return found;
    }
    for (int position = 0; position * PORTS <= ports; position++) {
      int modifier = position << 28 | index / MLIDS;
      MemorySegment block = query.get(node.route(), SmpAttribute.MULTICAST_FORWARDING, modifier);
      long mask = MadField.read(block, index % MLIDS * 16, 16);
      for (int i = 0; i < PORTS; i++) {
        int number = position * PORTS + i;
        if ((mask >> i & 1) != 0 && number > 0 && number <= ports) {
          found.add(node.port(number));
        }
      }
    }
    return found;
  }

  private static String end(String word, Scan.Port p) {
    return String.format(
        "%s %s 0x%x port %d lid %d-%d \"%s\"",
        word,
        Tracert.kind(p),
        p.node().number(NodeInfo.NODE_GUID),
        p.number(),
        p.lid(),
        Tracert.last(p),
        p.node().description());
  }

  private static String hop(Scan.Port out, Scan.Port in, boolean brief) {
    String kind = Tracert.kind(in);
    long guid = in.node().number(NodeInfo.NODE_GUID);
    return brief
        ? String.format("[%d] -> %s {0x%016x}[%d]", out.number(), kind, guid, in.number())
        : String.format(
            "[%d] -> %s 0x%x[%d] lid %d \"%s\"",
            out.number(), kind, guid, in.number(), in.lid(), in.node().description());
  }
}
