package ib.core.verbs;

/** The special uses of a queue pair; bits of {@code ib_qp_create_flags}. */
public final class QpCreateFlags {
  /** Sends with segmentation offload may be posted (UD, {@link Cap#UD_TSO}). */
  public static final int IPOIB_UD_LSO = 1;

  /**
   * The segments of one large send may arrive together (UD, no shared receive queue). A device that
   * receives them together then delivers one datagram: GRH, encapsulation and headers once, as the
   * sender posted them, and the data of all segments. The datagram fills as many receive requests
   * as necessary; all requests must have the same length. Each request completes with {@link
   * WorkCompletion#mss}, and each but the last with {@link WcFlags#MORE}. If the last completion
   * lacks {@link WcFlags#IP_CSUM_OK}, the sender's memory was deregistered meanwhile, and the
   * consumer must discard the datagram. If there are too few receive requests, the device drops the
   * datagram. Other datagrams arrive one per receive request.
   */
  public static final int COALESCED_RECEIVE = 1 << 26;

  /** Every bit that is known. */
  static final int ALL = IPOIB_UD_LSO | COALESCED_RECEIVE;

  private QpCreateFlags() {}
}
