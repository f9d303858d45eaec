package ib.cm.rdma;

import ib.cm.CmTerms;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a connection.
 *
 * @param space port space
 * @param type of the queue pair: RC, UC or XRC_INI; in {@link PortSpace#UDP} always UD, and UD
 *     nowhere else. Of an active side: a passive side has the type of the request
 * @param from address of this side, with port 0 for any port; null for what the host's routes and
 *     the devices' addresses say
 * @param responderResources reads and atomics that this side serves at once, 0 to 255; with 0 the
 *     peer may neither read nor do atomics
 * @param initiatorDepth reads and atomics that this side will have outstanding, 0 to 255
 * @param rnrRetry RNR retries of the peer's queue pair, 0 to 7; 7 is for ever
 * @param trafficClass traffic class (TOS) of the connection's packets, 8 bits; of an active side
 * @param terms times and retries; of an active side
 * @param data private data: of a REQ at most 56 bytes, of a REP at most 196; for datagrams 180 and
 *     136
 */
public record RdmaOptions(
    PortSpace space,
    QpType type,
    @Nullable InetSocketAddress from,
    int responderResources,
    int initiatorDepth,
    int rnrRetry,
    int trafficClass,
    CmTerms terms,
    byte[] data) {
  // above the ACK delay 2^15 of Linux's rdma_rxe; Linux itself asks for 17 or 19 (CM-37, RD-10)
  private static final int ACK_TIMEOUT = 16;
  // Linux gives a silent peer 16 times 4.3 s, and one whose program never answers for ever (A5)
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);
  private static final RdmaOptions RC =
      new RdmaOptions(
          PortSpace.TCP,
          QpType.RC,
          null,
          1,
          1,
          7,
          0,
          new CmTerms(7, ACK_TIMEOUT, 20, 15, CONNECT_TIMEOUT.toMillis()),
          new byte[0]);

  /**
   * Checks the ranges, and copies the data.
   *
   * @throws IbInvalidException when a number is out of its range, or queue pairs of the type are
   *     not connected
   */
  public RdmaOptions {
    type = of(space, type);
    range("responderResources", responderResources, 255);
    range("initiatorDepth", initiatorDepth, 255);
    range("rnrRetry", rnrRetry, 7);
    range("trafficClass", trafficClass, 255);
    data = data.clone();
  }

  private static QpType of(PortSpace space, QpType type) {
    if (space.isDatagram()) {
      return QpType.UD;
    }
    return switch (type) {
      case RC, UC, XRC_INI, XRC_TGT -> type;
      case UD -> QpType.RC; // of options that were for datagrams
      default ->
          throw new IbInvalidException("type " + type, "no queue pair of a connection", "RC or UC");
    };
  }

  private static void range(String name, int value, int most) {
    if (value < 0 || value > most) {
      throw new IbInvalidException(name + " " + value, "out of range", "0 to " + most);
    }
  }

  /** {@return one read at a time each way, seven retries, the TCP port space, no private data} */
  public static RdmaOptions rc() {
    return RC;
  }

  /**
   * {@return the TCP port space, no private data, for queue pairs of type UC} These have no reads,
   * no retries and no timers: a message of which a packet is lost is lost (IBA 9.8.2), and the
   * connection does not end thereby. Linux serves UC in {@link PortSpace#IB} only.
   */
  public static RdmaOptions uc() {
    return RC.type(QpType.UC).reads(0, 0).rnrRetry(0);
  }

  /** {@return the UDP port space, no private data: for datagrams} */
  public static RdmaOptions ud() {
    return RC.space(PortSpace.UDP).reads(0, 0);
  }

  /** {@return a copy of the private data} */
  @Override
  public byte[] data() {
    return data.clone();
  }

  /** {@return these options with another port space} */
  public RdmaOptions space(PortSpace value) {
    return with(value, type, from, terms, data);
  }

  /** {@return these options with another type of queue pair} */
  public RdmaOptions type(QpType value) {
    return with(space, value, from, terms, data);
  }

  /** {@return these options with an address of this side} */
  public RdmaOptions from(InetSocketAddress value) {
    return with(space, type, value, terms, data);
  }

  /**
   * {@return these options with other numbers of reads and atomics}
   *
   * @param served at once by this side
   * @param outstanding of this side
   */
  public RdmaOptions reads(int served, int outstanding) {
    return new RdmaOptions(
        space, type, from, served, outstanding, rnrRetry, trafficClass, terms, data);
  }

  /** {@return these options with another number of RNR retries} */
  public RdmaOptions rnrRetry(int value) {
    return new RdmaOptions(
        space, type, from, responderResources, initiatorDepth, value, trafficClass, terms, data);
  }

  /** {@return these options with another traffic class} */
  public RdmaOptions trafficClass(int value) {
    return new RdmaOptions(
        space, type, from, responderResources, initiatorDepth, rnrRetry, value, terms, data);
  }

  /** {@return these options with other times and retries} */
  public RdmaOptions terms(CmTerms value) {
    return with(space, type, from, value, data);
  }

  /**
   * {@return these options with another time to connect} When the peer has not answered by then the
   * attempt ends as unreachable, with {@link ib.core.verbs.IbTimedOutException}. It begins when the
   * way to the peer is known. The default is 30 s.
   *
   * @param value at most 24 days; part of a millisecond is one; 0 for the time of all retries, 69 s
   *     where the peer is silent, and no end where the peer asks for more time again and again
   */
  public RdmaOptions connectTimeout(Duration value) {
    if (value.isNegative() || value.compareTo(MAX_CONNECT_TIMEOUT) > 0) {
      throw new IbInvalidException(
          "connectTimeout " + value, "out of range", "0 to " + MAX_CONNECT_TIMEOUT);
    }
    return terms(terms.deadlineMs(value.plusNanos(999_999).toMillis()));
  }

  /** {@return these options with private data} */
  public RdmaOptions data(byte[] value) {
    return with(space, type, from, terms, value);
  }

  private RdmaOptions with(
      PortSpace s, QpType t, @Nullable InetSocketAddress local, CmTerms times, byte[] bytes) {
    return new RdmaOptions(
        s, t, local, responderResources, initiatorDepth, rnrRetry, trafficClass, times, bytes);
  }
}
