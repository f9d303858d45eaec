package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code ibtracert}: the path from one LID to another, by the forwarding tables. A scan of the
 * fabric supplies the far end of each hop.
 */
final class Tracert {
  private static final int LFT_BLOCK = 64;
  private static final int MAX_HOPS = 63;

  private Tracert() {}

  static String run(SmpQuery query, Parsed line) throws NoAnswerException {
    if (line.operands().size() != 2) {
      throw line.usage();
    }
    Route from = Destination.of("ibtracert", query, line, line.operands().get(0));
    Route to = Destination.of("ibtracert", query, line, line.operands().get(1));
    if (!(from instanceof Route.Lid a) || !(to instanceof Route.Lid b)) {
      throw new CommandException("ibtracert: by LID or GUID, not by directed route");
    }
    Scan scan = Scan.of(query);
    Scan.Port here = find(scan, a.lid());
    Scan.Port there = find(scan, b.lid());
    boolean brief = line.has("no_info");
    String mlid = line.last("mlid");
    if (mlid != null) {
      return MulticastTrace.text(query, scan, here, there, mlid, brief);
    }
    List<String> lines = new ArrayList<>();
    lines.add(end("From", here, brief));
    for (Scan.Port at = here; !reached(at, there); ) {
      if (lines.size() > MAX_HOPS) {
        throw failed("no route found after " + MAX_HOPS + " hops");
      }
      Scan.Port out = out(query, at, b.lid());
      Scan.Port next = out.remote();
      if (next == null) {
        throw failed("port " + out.number() + " of \"" + out.node().description() + "\" is down");
      }
      lines.add(hop(out, next, brief));
      at = next;
    }
    lines.add(end("To", there, brief));
    return String.join("\n", lines);
  }

  static NoAnswerException failed(String why) {
    return new NoAnswerException("Failed to get route information: " + why);
  }

  /** {@return the port that has a LID} */
  static Scan.Port find(Scan scan, int lid) throws NoAnswerException {
    for (Scan.Node n : scan.nodes()) {
      for (Scan.Port p : n.ports().values()) {
        boolean endpoint = !n.isSwitch() || p.number() == 0;
        if (endpoint && lid >= p.lid() && lid < p.lid() + (1 << p.lmc()) && p.lid() != 0) {
          return p;
        }
      }
    }
    throw failed("can't reach lid " + lid);
  }

  /**
   * {@return whether a port is the destination} Any port of the destination switch is, since a
   * switch has one LID.
   */
  private static boolean reached(Scan.Port at, Scan.Port there) {
    return at.node().isSwitch() ? at.node() == there.node() : at == there;
  }

  private static Scan.Port out(SmpQuery query, Scan.Port at, int lid) throws NoAnswerException {
    if (!at.node().isSwitch()) {
      return at;
    }
    int block = lid / LFT_BLOCK;
    var table = query.get(at.node().route(), SmpAttribute.LINEAR_FORWARDING, block);
    int number = (int) MadField.read(table, lid % LFT_BLOCK * 8, 8);
    if (number == 0 || number > at.node().value(NodeInfo.NUM_PORTS)) {
      throw failed(
          String.format(
              "Bad forwarding table entry found at: node \"%s\" lid entry %d is %d",
              at.node().description(), lid, number));
    }
    return at.node().port(number);
  }

  private static String end(String word, Scan.Port p, boolean brief) {
    if (brief) {
      return String.format(
          "%s {0x%016x}[%d]", word, p.node().number(NodeInfo.NODE_GUID), p.number());
    }
    return String.format(
        "%s %s {0x%016x} portnum %d lid %d-%d \"%s\"",
        word,
        kind(p),
        p.node().number(NodeInfo.NODE_GUID),
        p.number(),
        p.lid(),
        last(p),
        p.node().description());
  }

  private static String hop(Scan.Port out, Scan.Port next, boolean brief) {
    if (brief) {
      return String.format("[%d] -> {0x%016x}[%d]", out.number(), next.guid(), next.number());
    }
    return String.format(
        "[%d] -> %s port {0x%016x}[%d] lid %d-%d \"%s\"",
        out.number(),
        kind(next),
        next.guid(),
        next.number(),
        next.lid(),
        last(next),
        next.node().description());
  }

  /** {@return the last LID of a port's range} */
  static int last(Scan.Port p) {
    return p.lid() + (1 << p.lmc()) - 1;
  }

  /** {@return the word for a port's node} */
  static String kind(Scan.Port p) {
    String type = AttributeText.nodeType(p.node().value(NodeInfo.NODE_TYPE));
    return p.node().isSwitch() || !type.startsWith("Channel")
        ? type.toLowerCase(Locale.ROOT)
        : "ca";
  }
}
