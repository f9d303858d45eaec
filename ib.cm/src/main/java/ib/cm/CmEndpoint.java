package ib.cm;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;

/**
 * A queue pair as its owner describes it to the peer, in a REQ or a REP.
 *
 * <p>What the numbers say is of use where the type has it: only an RC queue pair and the target of
 * an XRC connection serve reads, only an RC queue pair and the initiator have them outstanding and
 * wait for receives. The others are sent as given, and no peer looks at them.
 *
 * @param type RC, UC, XRC_INI (of the active side) or XRC_TGT (of the passive side)
 * @param qpn number, 24 bits
 * @param startingPsn the PSN with which the <em>peer</em> begins to send, so the {@code rqPsn} of
 *     this queue pair; 24 bits
 * @param responderResources reads and atomics that this side serves at once, 0 to 255
 * @param initiatorDepth reads and atomics that this side will have outstanding, 0 to 255
 * @param rnrRetry RNR retries that the peer's queue pair is to make, 0 to 7; 7 is for ever
 * @param srq whether it has a shared receive queue
 */
public record CmEndpoint(
    QpType type,
    int qpn,
    int startingPsn,
    int responderResources,
    int initiatorDepth,
    int rnrRetry,
    boolean srq) {
  private static final int MAX_24_BITS = 0xffffff;

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is out of its range, or queue pairs of the type are not
   *     connected
   */
  public CmEndpoint {
    switch (type) {
      case RC, UC, XRC_INI, XRC_TGT -> {}
      default ->
          throw new IbInvalidException(
              "type " + type, "no queue pair of a connection", "RC, UC, XRC_INI or XRC_TGT");
    }
    range("qpn", qpn, MAX_24_BITS);
    range("startingPsn", startingPsn, MAX_24_BITS);
    range("responderResources", responderResources, 255);
    range("initiatorDepth", initiatorDepth, 255);
    range("rnrRetry", rnrRetry, 7);
  }

  /**
   * Describes a queue pair of type RC.
   *
   * @param qpn number
   * @param startingPsn its {@code rqPsn}
   * @param responderResources reads and atomics that this side serves at once
   * @param initiatorDepth reads and atomics that this side will have outstanding
   * @param rnrRetry RNR retries that the peer's queue pair is to make
   * @param srq whether it has a shared receive queue
   */
  public CmEndpoint(
      int qpn,
      int startingPsn,
      int responderResources,
      int initiatorDepth,
      int rnrRetry,
      boolean srq) {
    this(QpType.RC, qpn, startingPsn, responderResources, initiatorDepth, rnrRetry, srq);
  }

  private static void range(String name, int value, int most) {
    if (value < 0 || value > most) {
      throw new IbInvalidException(name + " " + value, "out of range", "0 to " + most);
    }
  }

  /**
   * A queue pair of type RC that does one read or atomic at a time in each direction.
   *
   * @param qpn number
   * @param startingPsn its {@code rqPsn}
   * @return the description
   */
  public static CmEndpoint of(int qpn, int startingPsn) {
    return new CmEndpoint(qpn, startingPsn, 1, 1, 7, false);
  }

  /** {@return the same queue pair with another type} */
  public CmEndpoint type(QpType value) {
    return new CmEndpoint(
        value, qpn, startingPsn, responderResources, initiatorDepth, rnrRetry, srq);
  }
}
