package ib.engine.control;

import ib.core.spi.QpDiagnosis.Finding;
import ib.core.spi.QpDiagnosis.Report;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpHistory;
import ib.engine.run.Holder;
import ib.engine.wire.Route;
import ib.engine.wire.Syndrome;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Diagnoses a queue pair: the report has the first finding whose signs are present. Only the thread
 * that holds the queue pair's claim calls in.
 */
final class QpDoctor {
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
        found.likely(),
        found.tries());
  }

  /**
   * {@return the report of a queue pair that is about to be closed, or null when it has not failed:
   * a queue pair that was moved to ERR is closed every day}
   */
  static @Nullable Report last(QpCore qp, long now) {
    QpHistory history = qp.history;
    if (qp.state.ordinal() < QpState.RTR.ordinal()
        || (qp.state == QpState.ERR
            && history.isAsked()
            && history.failure() == null
            && history.refusal() == 0)) {
      return null;
    }
    Report report = examine(qp, "", now);
    return report.isTrouble() ? report : null;
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
      case RESET, INIT -> Finding.notUp(qp.state);
      case ERR, SQE -> failed();
      case RTR, RTS, SQD -> alive();
    };
  }

  // ---- in an error state ----

  private Finding failed() {
    Throwable crash = history.crash();
    if (crash != null) {
      return Finding.of(
          "an exception inside the engine ended a step: "
              + crash
              + Holder.at(crash.getStackTrace()),
          "report it with this text; modify to RESET and bring it up again",
          "an OutOfMemoryError: give the JVM more memory");
    }
    WcStatus failure = history.failure();
    if (failure != null) {
      QpAttr attr = new QpAttr().destQpn(qp.destQpn).rnrRetry(qp.rnrRetry);
      return failure == WcStatus.RETRY_EXC_ERR ? silence() : Finding.of(failure, attr, watch());
    }
    return switch (history.refusal()) {
      case Syndrome.NAK_REMOTE_ACCESS ->
          Finding.of(
              "the peer asked for memory with an rkey, a range or a right that is not valid here",
              "compare the rkey and the addresses that the peer was given with 'rdma res show mr'",
              "check the access flags of the region and of this queue pair");
      case Syndrome.NAK_INVALID_REQUEST ->
          Finding.of(
              "the peer sent a request that this queue pair does not allow or cannot take",
              "check the access flags of this queue pair, and the length of its receives",
              watch());
      case Syndrome.NAK_REMOTE_OPERATION ->
          Finding.of(
              "a receive posted here names memory that is not valid, or memory here has failed",
              "check lkey, range and LOCAL_WRITE of the receives posted to this queue pair",
              "look whether a file that is mapped and registered was cut off");
      default ->
          history.isAsked()
              ? Finding.of(
                  "a call of modify moved it to " + qp.state,
                  "modify to RESET and bring it up again")
              : unasked();
    };
  }

  /** An event has ended it: that its completion queue is lost, if that is so. */
  private Finding unasked() {
    SoftCq full = qp.sendCq.isLost() ? qp.sendCq : qp.recvCq;
    return full.isLost()
        ? Finding.of(
            full + " has overrun: more than " + full.entries() + " completions waited in it",
            "a larger completion queue: as many entries as the work queues that use it",
            "fewer signaled requests, or a poll more often")
        : Finding.of(history.cause(), "modify to RESET and bring it up again");
  }

  /** Finds the likely cause of exceeded retries in the counters and in the history. */
  private Finding silence() {
    if (counters.containsKey(HcaCounter.DROP_PKEY.label())) {
      return partition();
    }
    if (counters.containsKey(HcaCounter.DROP_ACK_PSN.label()) && !qp.sending.isHeard()) {
      return Finding.of(
          "the sequence numbers do not match: the peer answers, but for other PSNs",
          "sq_psn here must be rq_psn of the peer, and the other way round");
    }
    if (history.heardNs() < 0) {
      return Finding.of(
          peer() + " has never answered",
          "compare address and QPN with the peer's 'rdma res show qp'",
          "the peer must be in RTR and in the same partition: " + why(qp.destQpn) + " there",
          "ibv_devinfo: are both ports ACTIVE?");
    }
    return Finding.of(
        "the peer has gone, or the path to it is cut",
        "does it live? its device, and " + why(qp.destQpn) + " there",
        watch());
  }

  private Finding partition() {
    return Finding.of(
        String.format(
            Locale.ROOT,
            "the P_Keys do not match: packets of the peer are in another partition than 0x%04x",
            qp.port().tables().checkedPkey(qp.pkeyIndex)),
        "compare the P_Key tables and the pkey_index of both queue pairs",
        "one of the two must be a full member (bit 15)");
  }

  // ---- working ----

  private Finding alive() {
    if (counters.containsKey(HcaCounter.DROP_PKEY.label())) {
      return partition();
    }
    if (counters.containsKey(HcaCounter.DROP_QKEY.label())) {
      return Finding.of(
          String.format("senders use another Q_Key than 0x%08x", qp.qkey),
          "set the same Q_Key on both sides");
    }
    if (counters.containsKey(HcaCounter.DROP_SOURCE.label())) {
      return Finding.of(
          "another sender than the peer of the connection sends to it",
          "compare the address of the peer with the one it was connected to",
          watch());
    }
    if (allOutOfSequence()) {
      return Finding.of(
          "the sequence numbers do not match: no request of the peer has the PSN expected here",
          "rq_psn here must be sq_psn of the peer");
    }
    if (qp.value(HcaCounter.SEND_RNR_ERR) > 0 && noReceive()) {
      return Finding.of(
          "messages of the peer wait: no receive is posted here", "post more receives, earlier");
    }
    if (qp.sending.rnrWaiting()) {
      return Finding.of(
          "a message waits: the peer has no receive posted, and is asked again and again",
          "post more receives on the peer: " + why(qp.destQpn) + " there",
          "rnr_retry less than 7 gives up after so many tries");
    }
    if (counters.containsKey(HcaCounter.DROP_DUPLICATE.label())) {
      return Finding.of(
          "the peer repeats atomics whose results are not kept here any more",
          "its max_rd_atomic must not be more than max_dest_rd_atomic here");
    }
    if (counters.containsKey(HcaCounter.DROP_NO_RECEIVE.label())) {
      return Finding.of("messages came when no receive was posted", "post more receives, earlier");
    }
    if (history.timeouts() > 0) {
      return Finding.of(
          "it works, but packets were lost on the way or the peer was slow",
          watch(),
          "a larger timeout, when the peer pauses for long");
    }
    String well = Finding.WELL + "can be seen here";
    return noReceive()
        ? Finding.of(well, "no receive is posted: post one before the peer sends")
        : Finding.of(well);
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
}
