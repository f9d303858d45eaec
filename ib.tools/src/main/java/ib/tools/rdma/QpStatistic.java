package ib.tools.rdma;

import ib.core.client.ResourceRecord;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.QpDiagnosis.Report;
import ib.core.verbs.IbException;
import ib.core.verbs.ObjectControl.Kind;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code rdma statistic qp show}: the counters of queue pairs. Each queue pair has a set of
 * counters of its own from its creation on, so the number of the set is that of the queue pair.
 *
 * @param view the core and the form of the output
 * @param diagnoses the diagnosis services of all drivers
 */
record QpStatistic(View view, Collection<QpDiagnosis> diagnoses) {
  private static final Set<String> NUMBERS = Set.of("cntn", "lqpn", "pid");
  private static final Set<String> TEXTS = Set.of("link", "qp-type");

  Listing<Line> show(Words words) {
    Filter filter = new Filter(words.all(), NUMBERS, TEXTS);
    Resource.skipFilters(words);
    List<ResourceRecord> all = view.core().resources();
    return view.listing(
        view.links(words, false).stream()
            .flatMap(l -> ofLink(l, all))
            .filter(filter::accepts)
            .toList());
  }

  private Stream<Line> ofLink(View.Link link, List<ResourceRecord> all) {
    return Resource.records(link.device(), Kind.QP, all)
        .filter(r -> Resource.port(r) == link.port())
        .flatMap(r -> line(link, r).stream());
  }

  /** {@return the counters of a queue pair; empty when it was destroyed meanwhile} */
  private Optional<Line> line(View.Link link, ResourceRecord r) {
    long qpn = r.details().get("lqpn") instanceof Number n ? n.longValue() : r.id();
    return diagnoses.stream()
        .filter(d -> d.device().equals(r.device()))
        .flatMap(d -> diagnose(d, (int) qpn).stream())
        .findFirst()
        .map(report -> line(link, r, report));
  }

  private static Optional<Report> diagnose(QpDiagnosis driver, int qpn) {
    try {
      return driver.diagnose(qpn);
    } catch (IbException e) {
      throw new CommandException("error: " + e.getMessage());
    }
  }

  private Line line(View.Link link, ResourceRecord r, Report report) {
    String device = link.device().name();
    long qpn = report.qpn();
    Line line = new Line();
    line.put("ifname", device, "link " + device + "/");
    line.put("port", link.port(), link.port() + " ");
    line.put("cntn", qpn);
    line.put("qp-type", String.valueOf(report.type()));
    Resource.owner(line, r);
    for (Map.Entry<String, Long> counter : report.counters().entrySet()) {
      if (!counter.getKey().startsWith("fabric_")) { // the fabric counts for the whole port
        line.put(
            counter.getKey(),
            counter.getValue(),
            (view.pretty() ? "\n    " : "") + counter.getKey() + " " + counter.getValue() + " ");
      }
    }
    line.put("lqpn", List.of(qpn), "\n    LQPN: <" + qpn + ">");
    return line;
  }
}
