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

/**
 * Diagnoses the queue pairs of a device of the host: by the kernel's answer to a query, and by what
 * the driver has seen of them. The device keeps no history, and counts nothing for a queue pair.
 */
public final class HostDiagnosis implements QpDiagnosis {
  private static final String AGAIN = "modify to RESET and bring it up again";
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

  /** A likely cause and what to try. */
  private record Finding(String likely, List<String> tries) {}

  private static Finding find(String likely, String... tries) {
    return new Finding(likely, List.of(tries));
  }

  @Override
  public String device() {
    return device;
  }

  @Override
  public Optional<Report> diagnose(int qpn) {
    for (VerbsContext.EventTarget target : context.targets.all()) {
      if (target instanceof VerbsQp qp && qp.qpn() == qpn) {
        return report(qp);
      }
    }
    return Optional.empty();
  }

  private Optional<Report> report(VerbsQp qp) {
    QpAttr attr;
    try {
      attr = qp.parts().query();
    } catch (IbInvalidException e) {
      return Optional.empty(); // it was closed meanwhile
    }
    LastState state = qp.parts().state;
    Finding found = finding(attr.state(), state);
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
            found.likely,
            found.tries));
  }

  private static String peer(QpAttr attr) {
    AhAttr way = attr.av();
    if (attr.state() == QpState.RESET || attr.destQpn() == 0 || way == null) {
      return "";
    }
    String where = way.grh() == null ? "LID " + way.dlid() : String.valueOf(way.grh().dgid());
    return String.format("QP 0x%06x at ", attr.destQpn()) + where;
  }

  private static Finding finding(QpState now, LastState state) {
    return switch (now) {
      case RESET, INIT ->
          find(
              "it was not brought up: in " + now + " nothing is sent or received",
              "modify to RTR with the peer's address, QPN and PSN, then to RTS");
      case RTR ->
          find("it receives, and does not send before it is in RTS", "modify to RTS, to send");
      case RTS, SQD ->
          find("nothing is wrong as far as this side knows", COUNTERS, "ib:why on the peer");
      case SQE, ERR -> failed(state.failure());
    };
  }

  private static Finding failed(@org.jspecify.annotations.Nullable WcStatus failure) {
    return switch (failure) {
      case null ->
          find(
              "no completion says why: a call of modify, the peer's end of the connection, or a"
                  + " request of the peer that the device has refused",
              "the history above: a modify or an event",
              "the completions that were not polled yet",
              "ib:why on the peer");
      case RETRY_EXC_ERR ->
          find(
              "the peer does not answer: it has gone, the path is cut, or address, QPN or PSN are"
                  + " wrong",
              "ping and ip neigh: the way to the peer; ibv_devinfo: are both ports ACTIVE?",
              "compare address, QPN and PSN with 'rdma res show qp' of the peer",
              COUNTERS);
      case RNR_RETRY_EXC_ERR ->
          find(
              "the peer had no receive posted when a message came, for all retries",
              "post more receives on the peer, before it is sent to",
              "rnr_retry 7 here waits for ever; a longer min_rnr_timer there waits longer");
      case REM_ACCESS_ERR ->
          find(
              "the peer refused the rkey, the range or the right of a request",
              "compare rkey and remote address with the peer's 'rdma res show mr'",
              "check REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC of its region and its queue pair");
      case REM_INV_REQ_ERR ->
          find(
              "the peer refused a request: not allowed on its queue pair, or too long for its"
                  + " receive",
              "check the access flags of the peer's queue pair and the length of its receives");
      case REM_OP_ERR ->
          find(
              "the peer could not execute a request: the memory of its receive is not valid",
              "ib:why on the peer");
      case LOC_PROT_ERR ->
          find(
              "a request posted here names memory that is not valid",
              "check lkey, range and rights of its elements with 'rdma res show mr'");
      case LOC_LEN_ERR, LOC_QP_OP_ERR ->
          find(
              "a request posted here is too long, or not allowed for its service",
              "at most the path MTU for a datagram, the port's max_msg_sz for others",
              AGAIN);
      default -> find("a request failed: " + failure.label(), AGAIN, COUNTERS);
    };
  }
}
