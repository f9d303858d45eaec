package ib.core.verbs;

/** Outcome of a work request; numbers of {@code ib_wc_status}. */
public enum WcStatus implements Numbered {
  /** Done. */
  SUCCESS(0, "success", ""),
  /** A message does not fit the local buffers or the port. */
  LOC_LEN_ERR(
      1,
      "local length error",
      "a longer receive, or a shorter message: of a datagram at most the path MTU"),
  /** The QP found the request inconsistent. */
  LOC_QP_OP_ERR(
      2,
      "local QP operation error",
      "compare the operation, its length and its memory with what the queue pair allows"),
  /** As LOC_QP_OP_ERR, in an EE context. */
  LOC_EEC_OP_ERR(3, "local EE context operation error", ""),
  /** A local buffer is not covered by its lkey. */
  LOC_PROT_ERR(
      4,
      "local protection error",
      "compare lkey, address and length with a region of the same PD that is open, and its rights"),
  /** Not executed: the QP went to the error state. */
  WR_FLUSH_ERR(
      5,
      "Work Request Flushed Error",
      "look at the first completion that failed: this one is a consequence"),
  /** Binding a memory window failed. */
  MW_BIND_ERR(
      6,
      "memory management operation error",
      "the window's range inside a region with MW_BIND, of the same PD"),
  /** The response is not one to the request. */
  BAD_RESP_ERR(7, "bad response error", "look at the peer's answers: ib:capture"),
  /** A remote write with immediate data failed at the local key. */
  LOC_ACCESS_ERR(
      8,
      "local access error",
      "compare lkey, address and length with a region of the same PD that is open, and its rights"),
  /** The responder found the request invalid. */
  REM_INV_REQ_ERR(
      9,
      "remote invalid request error",
      "compare the operation with the access flags of the peer's queue pair, and the length with its receive"),
  /** The responder refused access to its memory. */
  REM_ACCESS_ERR(
      10,
      "remote access error",
      "compare rkey, address, length and rights with the region of the peer; ib:why there says which"),
  /** The responder could not complete the request. */
  REM_OP_ERR(
      11,
      "remote operation error",
      "look at the peer: memory of its receive is not valid, or has failed (a mapped file cut off)"),
  /** No answer after all retries. */
  RETRY_EXC_ERR(
      12,
      "transport retry counter exceeded",
      "look whether the peer and the ports are up, and compare address, QPN, PSN and P_Key with those of the peer"),
  /** The peer had no receive posted after all retries. */
  RNR_RETRY_EXC_ERR(
      13,
      "RNR retry counter exceeded",
      "post receives on the peer before it is sent to; rnr_retry 7 waits for ever"),
  /** Reliable datagram domain differs. */
  LOC_RDD_VIOL_ERR(14, "local RDD violation error", ""),
  /** The responder found the reliable datagram request invalid. */
  REM_INV_RD_REQ_ERR(15, "remote invalid RD request", ""),
  /** The request was aborted. */
  REM_ABORT_ERR(16, "aborted error", ""),
  /** EE context number invalid. */
  INV_EECN_ERR(17, "invalid EE context number", ""),
  /** EE context state invalid. */
  INV_EEC_STATE_ERR(18, "invalid EE context state", ""),
  /** The device failed. */
  FATAL_ERR(19, "fatal error", "close what the device has, and open it again when it is back"),
  /** No response in time. */
  RESP_TIMEOUT_ERR(20, "response timeout error", "look whether the peer and the ports are up"),
  /** Any other error. */
  GENERAL_ERR(21, "general error", "ib:why of the queue pair"),
  /** No poll has written to this {@link WorkCompletion}. The number is none of ib_wc_status. */
  NOT_WRITTEN(
      -2,
      "no completion was written here",
      "poll, look at what poll returns, and read so many completions");

  private static final WcStatus[] VALUES = values();

  private final int value;
  private final String label;
  private final String advice;

  WcStatus(int value, String label, String advice) {
    this.value = value;
    this.label = label;
    this.advice = advice;
  }

  /** {@return the number in {@code ib_wc_status}} */
  @Override
  public int value() {
    return value;
  }

  /** {@return the text that ibv_wc_status_str gives, for example {@code local length error}} */
  public String label() {
    return label;
  }

  /** {@return what to try, in a few words; empty for success, and for what no device has} */
  public String advice() {
    return advice;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ib_wc_status 0 to 21
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static WcStatus of(int value) {
    return Numbered.of(VALUES, value, "use 0 to 21");
  }
}
