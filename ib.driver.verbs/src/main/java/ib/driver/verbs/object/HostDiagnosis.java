package ib.driver.verbs.object;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Diagnoses the queue pairs of a device of the host: by the kernel's answer to a query, and by what
 * the driver has seen of them. The device keeps no history, and counts nothing for a queue pair.
 */
public final class HostDiagnosis implements QpDiagnosis {
  private static final String COUNTERS = "rdma statistic: the counters of the device";

  private final String device;
  private final VerbsContext context;

  /**
   * Creates it.
   *
   * @param device name in ib
   * @param context the opened device
   */
  public HostDiagnosis(String device, VerbsContext context) {
    this.device = device;
    this.context = context;
  }

  @Override
  public String device() {
    return device;
  }

  @Override
  public Optional<Report> diagnose(int qpn) {
    return all().stream().filter(r -> r.qpn() == qpn).findFirst();
  }

  @Override
  public List<Report> all() {
    return context.targets.all().stream()
        .flatMap(t -> t instanceof VerbsQp qp ? report(qp).stream() : Stream.empty())
        .toList();
  }

  private Optional<Report> report(VerbsQp qp) {
    QpAttr attr;
    try {
      attr = qp.parts().query();
    } catch (IbInvalidException e) {
      return Optional.empty(); // it was closed meanwhile
    }
    LastState state = qp.parts().state;
    Finding found = finding(attr, state);
    return Optional.of(
        new Report(
            device,
            qp.qpn(),
            qp.type(),
            attr.state(),
            System.nanoTime(),
            state.history(),
            List.of(),
            peer(attr),
            Report.NOT_TOLD,
            Map.of(),
            found.likely(),
            found.tries()));
  }

  private static String peer(QpAttr attr) {
    AhAttr way = attr.av();
    if (attr.state() == QpState.RESET || attr.destQpn() == 0 || way == null) {
      return "";
    }
    String where = way.grh() == null ? "LID " + way.dlid() : String.valueOf(way.grh().dgid());
    return String.format("QP 0x%06x at ", attr.destQpn()) + where;
  }

  private static Finding finding(QpAttr attr, LastState state) {
    QpState now = attr.state();
    return switch (now) {
      case RESET, INIT -> Finding.notUp(now);
      case RTR ->
          Finding.of(
              "it receives, and does not send before it is in RTS", "modify to RTS, to send");
      case RTS, SQD -> Finding.of(Finding.WELL + "this side knows", COUNTERS, "ib:why on the peer");
      case SQE, ERR -> failed(state.failure(), attr);
    };
  }

  private static Finding failed(@Nullable WcStatus failure, QpAttr attr) {
    return failure != null
        ? Finding.of(failure, attr, COUNTERS)
        : Finding.of(
            "no completion says why: a call of modify, the peer's end of the connection, or a"
                + " request of the peer that the device has refused",
            "the history above: a modify or an event",
            "the completions that were not polled yet",
            "ib:why on the peer");
  }
}
