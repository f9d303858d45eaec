package ib.core.spi;

import ib.core.verbs.MaySleep;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Tells what has happened to a queue pair: a service that a driver registers for each device while
 * it is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code ib:why} and
 * {@link StandaloneFabric#why} reach drivers through it.
 */
public interface QpDiagnosis {

  /**
   * Something that has happened.
   *
   * @param ns when, by the clock of {@link Report#nowNs}
   * @param text what
   */
  record Note(long ns, String text) {}

  /**
   * A state that was entered.
   *
   * @param ns when, by the clock of {@link Report#nowNs}
   * @param state the state
   * @param cause why
   */
  record Change(long ns, QpState state, String cause) {}

  /**
   * The diagnosis of a queue pair.
   *
   * @param device device name
   * @param qpn its number, 24 bits
   * @param type its service
   * @param state its state now
   * @param nowNs when the report was made; nanoseconds from an arbitrary moment, for differences
   * @param history the latest states, oldest first, at most 16
   * @param troubles the last NAK in each direction, the last RNR NAK, the last timeout, where there
   *     was one
   * @param peer the peer that it is connected to, empty without one
   * @param heardNs when the latest packet for it was noticed, to a quarter of a second; -1 when
   *     there was none, {@link #NOT_TOLD} where the device does not tell
   * @param counters what it has counted since it was bound to its port, by the name of the port's
   *     counter, without those that are 0: {@code sent_pkts} and {@code rcvd_pkts} include the
   *     requests that took no packet; names that begin with drop_ are reasons why packets for it
   *     were dropped; those whose name begins with fabric_ were sent by its device and not
   *     delivered
   * @param likely the likely cause, one sentence
   * @param tries what to try, in this order
   */
  record Report(
      String device,
      int qpn,
      QpType type,
      QpState state,
      long nowNs,
      List<Change> history,
      List<Note> troubles,
      String peer,
      long heardNs,
      Map<String, Long> counters,
      String likely,
      List<String> tries) {
    /** As {@link #heardNs}: the device does not tell when it hears. */
    public static final long NOT_TOLD = Long.MIN_VALUE;

    /** {@return the counters of packets that were dropped, for it or of its device} */
    public Map<String, Long> drops() {
      Map<String, Long> drops = new LinkedHashMap<>();
      counters.forEach(
          (name, n) -> {
            if (name.startsWith("drop_") || name.startsWith("fabric_")) {
              drops.put(name, n);
            }
          });
      return drops;
    }

    /** {@return whether something is wrong with the queue pair} */
    public boolean isTrouble() {
      return !likely.startsWith(Finding.WELL);
    }

    /**
     * {@return the report with other values}
     *
     * @param name device name
     * @param ns as {@link #nowNs}
     * @param counted as {@link #counters}
     * @param found as {@link #likely} and {@link #tries}
     */
    public Report with(String name, long ns, Map<String, Long> counted, Finding found) {
      return new Report(
          name,
          qpn,
          type,
          state,
          ns,
          history,
          troubles,
          peer,
          heardNs,
          counted,
          found.likely(),
          found.tries());
    }

    /**
     * {@return the report as {@code ib:why} prints it, several lines}
     *
     * @param time the text of a time, which is in the clock of {@link #nowNs}
     */
    public String text(LongFunction<String> time) {
      StringBuilder out = new StringBuilder();
      out.append(String.format("QP 0x%06x %s %s on %s", qpn, type, state, device));
      if (!history.isEmpty()) {
        out.append(" since ").append(time.apply(history.getLast().ns()));
      }
      for (Change c : history) {
        line(out, time.apply(c.ns()) + " " + c.state() + ": " + c.cause());
      }
      for (Note n : troubles) {
        line(out, "last " + time.apply(n.ns()) + " " + n.text());
      }
      if (!peer.isEmpty()) {
        String heard = heardNs < 0 ? ", never heard" : ", last heard " + time.apply(heardNs);
        line(out, "peer " + peer + (heardNs == NOT_TOLD ? "" : heard));
      }
      drops(out, "packets to it dropped: ", false);
      drops(out, "packets of its device that the fabric dropped: ", true);
      line(out, "likely: " + likely);
      tries.forEach(t -> line(out, "try: " + t));
      return out.toString();
    }

    private void drops(StringBuilder out, String title, boolean fabric) {
      String drops =
          drops().entrySet().stream()
              .filter(e -> e.getKey().startsWith("fabric_") == fabric)
              .map(e -> e.getKey() + " " + e.getValue())
              .collect(Collectors.joining(", "));
      if (!drops.isEmpty()) {
        line(out, title + drops);
      }
    }

    private static void line(StringBuilder out, String text) {
      out.append("\n  ").append(text);
    }

    /** {@return the report as {@link #text} makes it, with times before it was made} */
    @Override
    public String toString() {
      return text(ns -> String.format(Locale.ROOT, "%.1f ms ago", (nowNs - ns) / 1e6));
    }
  }

  /**
   * A likely cause and what to try.
   *
   * @param likely the cause, one sentence
   * @param tries what to try, in this order
   */
  record Finding(String likely, List<String> tries) {
    /** How the cause begins when all is well. */
    public static final String WELL = "nothing is wrong as far as ";

    private static final String AGAIN = "modify to RESET and bring it up again";

    /** Copies the list. */
    public Finding {
      tries = List.copyOf(tries);
    }

    /**
     * {@return a finding}
     *
     * @param likely the cause, one sentence
     * @param tries what to try, in this order
     */
    public static Finding of(String likely, String... tries) {
      return new Finding(likely, List.of(tries));
    }

    /**
     * {@return what is found of a queue pair that sends and receives nothing yet}
     *
     * @param state RESET or INIT
     */
    public static Finding notUp(QpState state) {
      return of(
          "it was not brought up: in " + state + " nothing is sent or received",
          "modify to RTR with the peer's address, QPN and PSN, then to RTS");
    }

    /**
     * {@return what the status of the first request that has failed says; a driver that knows more
     * of a status says more}
     *
     * @param failure the status
     * @param attr of the queue pair: {@code destQpn} and {@code rnrRetry} count
     * @param more how to see more on this device
     */
    public static Finding of(WcStatus failure, QpAttr attr, String more) {
      return switch (failure) {
        case RETRY_EXC_ERR ->
            of(
                "the peer does not answer: it has gone, the path is cut, or address, QPN or PSN are"
                    + " wrong",
                "ping and ip neigh: the way to the peer; ibv_devinfo: are both ports ACTIVE?",
                "compare address, QPN and PSN with 'rdma res show qp' of the peer",
                more);
        case RNR_RETRY_EXC_ERR ->
            of(
                "the peer had no receive posted when a message came, for longer than "
                    + attr.rnrRetry()
                    + " retries",
                "post more receives on the peer, before it is sent to",
                "rnr_retry 7 here waits for ever; a longer min_rnr_timer there waits longer");
        case REM_ACCESS_ERR ->
            of(
                "the peer refused the rkey, the range or the right of a request",
                "compare rkey and remote address with the peer's 'rdma res show mr'",
                "check REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC of its region and its queue pair");
        case REM_INV_REQ_ERR ->
            of(
                "the peer refused a request: not allowed on its queue pair, or too long for its"
                    + " receive",
                "check the access flags of the peer's queue pair and the length of its receives");
        case REM_OP_ERR ->
            of(
                "the peer could not execute a request: the memory of its receive is not valid, or has"
                    + " failed",
                String.format("on the peer: ib:why 0x%06x", attr.destQpn()));
        case LOC_PROT_ERR ->
            of(
                "a request posted here names memory that is not valid",
                "check lkey, range and rights of its elements with 'rdma res show mr'");
        case LOC_LEN_ERR ->
            of(
                "a request posted here is longer than its service allows",
                "at most the path MTU for a datagram, the port's max_msg_sz for others");
        case LOC_QP_OP_ERR ->
            of(
                "a request posted here is not allowed on its queue pair: its operation, its length or"
                    + " its memory",
                "check lkey, range and rights of its elements with 'rdma res show mr'",
                "at most the path MTU for a datagram, the port's max_msg_sz for others",
                AGAIN);
        default -> of("a request failed: " + failure.label(), AGAIN, more);
      };
    }
  }

  /** {@return the name of the device} */
  String device();

  /**
   * Looks at a queue pair.
   *
   * @param qpn its number, 24 bits
   * @return what is known, or empty when the device has no such queue pair
   */
  @MaySleep
  Optional<Report> diagnose(int qpn);

  /**
   * Looks at all queue pairs.
   *
   * @return what is known of each, and of the latest that were closed while in trouble, as far as
   *     the driver knows them
   */
  @MaySleep
  default List<Report> all() {
    return List.of();
  }
}
