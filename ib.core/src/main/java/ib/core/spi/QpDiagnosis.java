package ib.core.spi;

import ib.core.verbs.MaySleep;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells what has happened to a queue pair: a service that a driver registers for each device while
 * it is plugged in, with the service property {@link DeviceSlot#DEVICE_NAME}. {@code ib:why}
 * reaches drivers through it.
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
  }

  /**
   * A likely cause and what to try.
   *
   * @param likely the cause, one sentence
   * @param tries what to try, in this order
   */
  record Finding(String likely, List<String> tries) {
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
                "the peer could not execute a request: the memory of its receive is not valid",
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
}
