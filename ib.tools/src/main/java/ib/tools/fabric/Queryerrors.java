package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.mad.smp.NodeInfo;
import ib.core.verbs.IbException;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * {@code ibqueryerrors}: the ports of the fabric whose error counters are above 0, read from each
 * node by management datagrams.
 */
public final class Queryerrors {
  private static final String NAME = "ibqueryerrors";
  private static final int BAD = 1;
  private static final int ALL_ERRORS = 0x10fff; // CounterSelect without data; PortXmitWait

  private static final Set<PortCounter> DATA =
      EnumSet.of(
          PortCounter.XMIT_DATA, PortCounter.RCV_DATA, PortCounter.XMIT_PKTS, PortCounter.RCV_PKTS);

  private final Requests requests;
  private final List<String> suppressed;
  private final boolean clear;
  private final List<String> lines = new ArrayList<>();
  private int ports;
  private int badPorts;
  private int badNodes;

  private Queryerrors(Requests requests, List<String> suppressed, boolean clear) {
    this.requests = requests;
    this.suppressed = suppressed;
    this.clear = clear;
  }

  /**
   * Runs the command. Blocks until all answers have arrived or timed out.
   *
   * @param core the midlayer
   * @param args the original's options {@code -s -k -C -P -t}
   * @return the report when no port has errors, or the usage
   * @throws CommandException with the report and status 1 when a port has errors; when an option is
   *     wrong, there is no such port, or the local node does not answer
   */
  public static String run(IbCore core, String... args) {
    String[] known = Options.with(Usage.of(NAME), "s,suppress=", "k,clear-errors");
    Parsed line = Options.parse(NAME, args, known).atMost(0);
    LocalPort port = LocalPort.of(core, NAME, line);
    int timeoutMs = Options.timeoutMs(line);
    String list = line.last("suppress");
    List<String> suppressed = list == null ? List.of() : List.of(list.split(",", -1));
    try (Smi smi = Smi.open(core, port, NAME, timeoutMs);
        Requests gsi = Requests.open(core, port, QpType.GSI, NAME, timeoutMs)) {
      Queryerrors run = new Queryerrors(gsi, suppressed, line.has("clear-errors"));
      List<Scan.Node> nodes = Scan.of(smi).nodes();
      nodes.forEach(run::node);
      String report = run.report(nodes.size());
      if (run.badPorts > 0) {
        throw CommandException.onOutput(BAD, report);
      }
      return report;
    } catch (IbException | NoAnswerException e) {
      throw CommandException.iberror(NAME, "failed", e);
    }
  }

  private void node(Scan.Node node) {
    List<String> bad = new ArrayList<>();
    Map<PortCounter, Long> sum = new TreeMap<>();
    long guid = node.number(NodeInfo.NODE_GUID);
    for (Scan.Port port : node.ports().values()) {
      if (port.number() == 0) {
        continue; // management only
      }
      ports++;
      try {
        Map<PortCounter, Long> errors = errors(port);
        if (!errors.isEmpty()) {
          bad.add(line(guid, String.valueOf(port.number()), errors));
          errors.forEach((c, v) -> sum.merge(c, v, Long::sum));
        }
      } catch (NoAnswerException e) {
        bad.add("   port " + port.number() + ": " + e.getMessage());
      }
    }
    badPorts += bad.size();
    if (!bad.isEmpty()) {
      badNodes++;
      lines.add(String.format("Errors for 0x%016x \"%s\"", guid, node.description()));
      if (node.isSwitch()) {
        lines.add(line(guid, "ALL", sum));
      }
      lines.addAll(bad);
    }
  }

  private Map<PortCounter, Long> errors(Scan.Port port) throws NoAnswerException {
    Map<PortCounter, Long> found = new TreeMap<>();
    NodeCounters.read(requests, port.lid(), port.number(), Form.CLASSIC)
        .forEach(
            (c, value) -> {
              if (value != 0 && !DATA.contains(c) && !suppressed.contains(c.label())) {
                found.put(c, value);
              }
            });
    if (clear && !found.isEmpty()) {
      NodeCounters.reset(requests, port.lid(), port.number(), Form.CLASSIC, ALL_ERRORS);
    }
    return found;
  }

  private static String line(long guid, String port, Map<PortCounter, Long> errors) {
    StringBuilder out = new StringBuilder();
    errors.forEach((c, v) -> out.append(String.format(" [%s == %d]", c.label(), v)));
    return String.format("   GUID 0x%016x port %s:%s", guid, port, out);
  }

  private String report(int nodes) {
    String head = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    return String.format(
        "%s%n## Summary: %d nodes checked, %d bad nodes found%n"
            + "##          %d ports checked, %d ports have errors beyond threshold%n"
            + "## Thresholds: %n## Suppressed:%s",
        head,
        nodes,
        badNodes,
        ports,
        badPorts,
        suppressed.stream().map(s -> " " + s).collect(Collectors.joining()));
  }
}
