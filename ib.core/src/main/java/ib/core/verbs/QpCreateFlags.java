package ib.core.verbs;

/** The special uses of a queue pair; bits of {@code ib_qp_create_flags}. */
public final class QpCreateFlags {
  /** Sends with segmentation offload may be posted (UD, {@link Cap#UD_TSO}). */
  public static final int IPOIB_UD_LSO = 1;

  /**
   * The segments of one large send may arrive together (UD, no shared receive queue). A device that
   * has them together then gives them as one datagram: GRH, encapsulation and headers once, as the
   * sender posted them, and the data of all segments. It fills as many receive requests as it
   * needs, which must be of one length, with one completion each, {@link WcFlags#MORE} in all but
   * the last, and {@link WorkCompletion#mss} in each of them. A last one without {@link
   * WcFlags#IP_CSUM_OK} tells that the sender's memory has gone meanwhile: all of it is void. When
   * there are not enough requests the whole is dropped, as any datagram is that finds none. Other
   * datagrams arrive as ever.
   */
  public static final int COALESCED_RECEIVE = 1 << 26;

  /** Every bit that is known. */
  static final int ALL = IPOIB_UD_LSO | COALESCED_RECEIVE;

  private QpCreateFlags() {}
}
