package ib.engine.control;

import ib.core.spi.QpDiagnosis.Report;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.engine.link.HcaCounter;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpHistory;
import ib.engine.run.Holder;
import ib.engine.wire.Route;
import ib.engine.wire.Syndrome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Diagnoses a queue pair. Only the thread that holds the queue pair's claim calls in. */
final class QpDoctor {

  /** A likely cause and what to try; the report has the first finding whose signs are present. */
  private record Finding(String likely, List<String> tries) {}

  private final QpCore qp;
  private final String device;
  private final QpHistory history;
  private final Map<String, Long> counters;

  private QpDoctor(QpCore qp, String device) {
    this.qp = qp;
    this.device = device;
    this.history = qp.history;
    this.counters = counters(qp);
  }

  static Report examine(QpCore qp, String device, long now) {
    QpDoctor doctor = new QpDoctor(qp, device);
    Finding found = doctor.finding();
    return new Report(
        device,
        qp.qpn,
        qp.type,
        qp.state,
        now,
        qp.history.changes(),
        qp.history.troubles(),
        doctor.peer(),
        qp.history.heardNs(),
        doctor.counters,
        found.likely,
        found.tries);
  }

  private static Map<String, Long> counters(QpCore qp) {
    Map<String, Long> counters = new LinkedHashMap<>();
    for (HcaCounter c : HcaCounter.values()) {
      if (qp.value(c) > 0) {
        counters.put(c.label(), qp.value(c));
      }
    }
    return counters;
  }

  private String peer() {
    Route route = qp.route;
    if (route == null || qp.state == QpState.RESET) {
      return "";
    }
    String where =
        route.dlid() != 0
            ? "LID " + route.dlid()
            : String.valueOf(route.attr().grh() == null ? "?" : route.attr().grh().dgid());
    return String.format("QP 0x%06x at ", qp.destQpn) + where;
  }

  private Finding finding() {
    return switch (qp.state) {
      case RESET, INIT ->
          find(
              "it was not brought up: in " + qp.state + " nothing is sent or received",
              "modify to RTR with the peer's address, QPN and PSN, then to RTS");
      case ERR, SQE -> failed();
      case RTR, RTS, SQD -> alive();
    };
  }

  // ---- in an error state ----

  private Finding failed() {
    Throwable crash = history.crash();
    if (crash != null) {
      return find(
          "an exception inside the engine ended a step: "
              + crash
              + Holder.at(crash.getStackTrace()),
          "report it with this text; modify to RESET and bring it up again",
          "an OutOfMemoryError: give the JVM more memory");
    }
    WcStatus failure = history.failure();
    if (failure != null) {
      return requester(failure);
    }
    return switch (history.refusal()) {
      case Syndrome.NAK_REMOTE_ACCESS ->
          find(
              "the peer asked for memory with an rkey, a range or a right that is not valid here",
              "compare the rkey and the addresses that the peer was given with 'rdma res show mr'",
              "check the access flags of the region and of this queue pair");
      case Syndrome.NAK_INVALID_REQUEST ->
          find(
              "the peer sent a request that this queue pair does not allow or cannot take",
              "check the access flags of this queue pair, and the length of its receives",
              watch());
      case Syndrome.NAK_REMOTE_OPERATION ->
          find(
              "a receive posted here names memory that is not valid",
              "check lkey, range and LOCAL_WRITE of the receives posted to this queue pair");
      default ->
          history.isAsked()
              ? find(
                  "a call of modify moved it to " + qp.state,
                  "modify to RESET and bring it up again")
              : find(history.cause(), "modify to RESET and bring it up again");
    };
  }

  private Finding requester(WcStatus failure) {
    return switch (failure) {
      case RETRY_EXC_ERR -> silence();
      case RNR_RETRY_EXC_ERR ->
          find(
              "the peer had no receive posted when a message came, for longer than "
                  + qp.rnrRetry
                  + " retries",
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
              "on the peer: " + why(qp.destQpn));
      case LOC_PROT_ERR ->
          find(
              "a request posted here names memory that is not valid",
              "check lkey, range and rights of its elements with 'rdma res show mr'");
      case LOC_LEN_ERR ->
          find(
              "a request posted here is longer than its service allows",
              "at most the path MTU for a datagram, the port's max_msg_sz for others");
      default ->
          find(
              "a request failed: " + failure.label(),
              "modify to RESET and bring it up again",
              watch());
    };
  }

  /** Finds the likely cause of exceeded retries in the counters and in the history. */
  private Finding silence() {
    if (counters.containsKey(HcaCounter.DROP_PKEY.label())) {
      return partition();
    }
    if (counters.containsKey(HcaCounter.DROP_ACK_PSN.label()) && !qp.sending.isHeard()) {
      return find(
          "the sequence numbers do not match: the peer answers, but for other PSNs",
          "sq_psn here must be rq_psn of the peer, and the other way round");
    }
    if (history.heardNs() < 0) {
      return find(
          peer() + " has never answered",
          "compare address and QPN with the peer's 'rdma res show qp'",
          "the peer must be in RTR and in the same partition: " + why(qp.destQpn) + " there",
          "ibv_devinfo: are both ports ACTIVE?");
    }
    return find(
        "the peer has gone, or the path to it is cut",
        "does it live? its device, and " + why(qp.destQpn) + " there",
        watch());
  }

  private Finding partition() {
    return find(
        String.format(
            Locale.ROOT,
            "the P_Keys do not match: packets of the peer are in another partition than 0x%04x",
            qp.port().pkey(qp.pkeyIndex)),
        "compare the P_Key tables and the pkey_index of both queue pairs",
        "one of the two must be a full member (bit 15)");
  }

  // ---- working ----

  private Finding alive() {
    if (counters.containsKey(HcaCounter.DROP_PKEY.label())) {
      return partition();
    }
    if (counters.containsKey(HcaCounter.DROP_QKEY.label())) {
      return find(
          String.format("senders use another Q_Key than 0x%08x", qp.qkey),
          "set the same Q_Key on both sides");
    }
    if (counters.containsKey(HcaCounter.DROP_SOURCE.label())) {
      return find(
          "another sender than the peer of the connection sends to it",
          "compare the address of the peer with the one it was connected to",
          watch());
    }
    if (allOutOfSequence()) {
      return find(
          "the sequence numbers do not match: no request of the peer has the PSN expected here",
          "rq_psn here must be sq_psn of the peer");
    }
    if (qp.value(HcaCounter.SEND_RNR_ERR) > 0 && noReceive()) {
      return find(
          "messages of the peer wait: no receive is posted here", "post more receives, earlier");
    }
    if (qp.sending.rnrWaiting()) {
      return find(
          "a message waits: the peer has no receive posted, and is asked again and again",
          "post more receives on the peer: " + why(qp.destQpn) + " there",
          "rnr_retry less than 7 gives up after so many tries");
    }
    if (counters.containsKey(HcaCounter.DROP_DUPLICATE.label())) {
      return find(
          "the peer repeats atomics whose results are not kept here any more",
          "its max_rd_atomic must not be more than max_dest_rd_atomic here");
    }
    if (counters.containsKey(HcaCounter.DROP_NO_RECEIVE.label())) {
      return find("messages came when no receive was posted", "post more receives, earlier");
    }
    if (history.timeouts() > 0) {
      return find(
          "it works, but packets were lost on the way or the peer was slow",
          watch(),
          "a larger timeout, when the peer pauses for long");
    }
    return find("nothing is wrong as far as can be seen here");
  }

  private boolean noReceive() {
    return (qp.srq == null ? qp.receives : qp.srq.ring()).size() == 0;
  }

  private boolean allOutOfSequence() {
    long early = qp.packets(HcaCounter.OUT_OF_SEQ_REQUEST);
    long later = qp.packets(HcaCounter.DROP_AFTER_NAK);
    return early > 0 && early + later == qp.value(HcaCounter.RCVD_PKTS);
  }

  private String watch() {
    return String.format("ib:capture start -f qp=0x%06x %s FILE", qp.qpn, device);
  }

  private static String why(int qpn) {
    return String.format("ib:why 0x%06x", qpn);
  }

  private static Finding find(String likely, String... tries) {
    return new Finding(likely, new ArrayList<>(List.of(tries)));
  }
}
