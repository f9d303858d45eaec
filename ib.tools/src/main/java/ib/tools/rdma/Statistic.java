package ib.tools.rdma;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.output.Usage;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code rdma statistic}: the hardware counters of a port, and with {@code qp} those of queue
 * pairs. {@code rdma statistic mad [DEV/PORT]}, an extension, shows the counters of the port's
 * management datagrams.
 */
final class Statistic {
  private Statistic() {}

  static Object run(View view, Collection<QpDiagnosis> diagnoses, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("show", words -> show(view, words));
    commands.put("list", words -> show(view, words));
    commands.put("help", words -> Usage.of("rdma_statistic"));
    commands.put("mad", words -> links(view, words, true)); // an extension
    commands.put("qp", words -> queuePairs(view, diagnoses, words));
    for (String other : List.of("mr", "mode", "set", "unset")) {
      commands.put(other, words -> Rdma.unsupported("statistic " + other));
    }
    return all.dispatch("statistic command", words -> show(view, words), commands);
  }

  private static Object show(View view, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("link", words -> links(view, words, false));
    commands.put("mr", words -> Rdma.unsupported("statistic mr"));
    commands.put("help", words -> Usage.of("rdma_statistic"));
    return all.dispatch("parameter", words -> links(view, words, false), commands);
  }

  private static Object queuePairs(View view, Collection<QpDiagnosis> diagnoses, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    QpStatistic statistic = new QpStatistic(view, diagnoses);
    commands.put("show", statistic::show);
    commands.put("list", statistic::show);
    commands.put("help", words -> Usage.of("rdma_statistic"));
    for (String other : List.of("mode", "set", "bind", "unbind")) {
      commands.put(other, words -> fixed(other));
    }
    return all.dispatch("statistic qp command", statistic::show, commands);
  }

  private static Object fixed(String command) {
    throw new CommandException(
        "rdma: 'statistic qp "
            + command
            + "' is not needed here: each queue pair always counts for itself, see 'rdma statistic"
            + " qp show'");
  }

  private static Listing<Line> links(View view, Words words, boolean mad) {
    List<View.Link> links = view.links(words, false);
    return view.listing(
        links.stream().filter(l -> l.port() > 0).map(l -> line(view, l, mad)).toList());
  }

  private static Line line(View view, View.Link link, boolean mad) {
    String name = link.device().name();
    Line line = new Line();
    line.put("ifname", name, "link " + name + "/");
    line.put("port", link.port(), link.port() + " ");
    Map<String, Long> counters;
    try {
      counters =
          mad
              ? view.core().managementCounters(name, link.port())
              : view.core().counters(name, link.port());
    } catch (IbException e) {
      throw new CommandException("error: " + e.getMessage());
    }
    counters.forEach(
        (counter, value) ->
            line.put(
                counter, value, (view.pretty() ? "\n    " : "") + counter + " " + value + " "));
    return line;
  }
}
