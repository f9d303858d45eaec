package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A completion (IBA verb Poll for Completion, {@code ibv_wc}). Reusable: poll fills the objects
 * that the consumer brings, so polling allocates nothing. For one thread at a time.
 */
@NotThreadSafe
public final class WorkCompletion {
  private long wrId;
  private WcStatus status = WcStatus.NOT_WRITTEN;
  private WcOpcode opcode = WcOpcode.SEND;
  private int byteLen;
  private int immData;
  private int qpn;
  private int srcQp;
  private int slid;
  private int sl;
  private int wcFlags;
  private int vendorError;
  private int pkeyIndex;
  private int dlidPathBits;
  private int mss;
  private long timestamp;
  private @Nullable Cqe cqe;

  /** An empty completion: its status is {@link WcStatus#NOT_WRITTEN} until a poll fills it. */
  public WorkCompletion() {}

  /** Sets everything to its initial value. For drivers. */
  @AnyContext
  public void clear() {
    wrId = 0;
    status = WcStatus.NOT_WRITTEN;
    opcode = WcOpcode.SEND;
    byteLen = 0;
    immData = 0;
    qpn = 0;
    srcQp = 0;
    slid = 0;
    sl = 0;
    wcFlags = 0;
    vendorError = 0;
    pkeyIndex = 0;
    dlidPathBits = 0;
    mss = 0;
    timestamp = 0;
    cqe = null;
  }

  /**
   * Takes over all values of another completion. For drivers.
   *
   * @param from where they come from
   */
  @AnyContext
  public void set(WorkCompletion from) {
    wrId = from.wrId;
    status = from.status;
    opcode = from.opcode;
    byteLen = from.byteLen;
    immData = from.immData;
    qpn = from.qpn;
    srcQp = from.srcQp;
    slid = from.slid;
    sl = from.sl;
    wcFlags = from.wcFlags;
    vendorError = from.vendorError;
    pkeyIndex = from.pkeyIndex;
    dlidPathBits = from.dlidPathBits;
    mss = from.mss;
    timestamp = from.timestamp;
    cqe = from.cqe;
  }

  /** {@return number the consumer gave the request} */
  public long wrId() {
    return wrId;
  }

  /**
   * {@return this, with wrId set; for drivers}
   *
   * @param value number the consumer gave the request
   */
  @AnyContext
  public WorkCompletion wrId(long value) {
    wrId = value;
    return this;
  }

  /** {@return outcome} */
  public WcStatus status() {
    return status;
  }

  /**
   * {@return this, with status set; for drivers}
   *
   * @param value outcome
   */
  @AnyContext
  public WorkCompletion status(WcStatus value) {
    status = value;
    return this;
  }

  /**
   * {@return this, when the request has succeeded}
   *
   * @throws IbCompletionException when it has failed, or nothing was written here
   */
  public WorkCompletion check() {
    if (status != WcStatus.SUCCESS) {
      throw new IbCompletionException(this);
    }
    return this;
  }

  /** {@return what the request was; undefined unless the status is SUCCESS} */
  public WcOpcode opcode() {
    return opcode;
  }

  /**
   * {@return this, with opcode set; for drivers}
   *
   * @param value what the request was; undefined unless the status is SUCCESS
   */
  @AnyContext
  public WorkCompletion opcode(WcOpcode value) {
    opcode = value;
    return this;
  }

  /** {@return bytes received or transferred; undefined for sends and on error} */
  public int byteLen() {
    return byteLen;
  }

  /**
   * {@return this, with byteLen set; for drivers}
   *
   * @param value bytes received or transferred; undefined for sends and on error
   */
  @AnyContext
  public WorkCompletion byteLen(int value) {
    byteLen = value;
    return this;
  }

  /** {@return immediate data, or the rkey that was invalidated, as {@link #wcFlags} tells} */
  public int immData() {
    return immData;
  }

  /**
   * {@return this, with immData set; for drivers}
   *
   * @param value immediate data, or the rkey that was invalidated, as {@link #wcFlags} tells
   */
  @AnyContext
  public WorkCompletion immData(int value) {
    immData = value;
    return this;
  }

  /** {@return number of the local QP, 24 bits} */
  public int qpn() {
    return qpn;
  }

  /**
   * {@return this, with qpn set; for drivers}
   *
   * @param value number of the local QP, 24 bits
   */
  @AnyContext
  public WorkCompletion qpn(int value) {
    qpn = value;
    return this;
  }

  /** {@return number of the sender's QP, 24 bits (datagrams)} */
  public int srcQp() {
    return srcQp;
  }

  /**
   * {@return this, with srcQp set; for drivers}
   *
   * @param value number of the sender's QP, 24 bits (datagrams)
   */
  @AnyContext
  public WorkCompletion srcQp(int value) {
    srcQp = value;
    return this;
  }

  /** {@return source LID, 16 bits (datagrams)} */
  public int slid() {
    return slid;
  }

  /**
   * {@return this, with slid set; for drivers}
   *
   * @param value source LID, 16 bits (datagrams)
   */
  @AnyContext
  public WorkCompletion slid(int value) {
    slid = value;
    return this;
  }

  /** {@return service level, 0 to 15 (datagrams)} */
  public int sl() {
    return sl;
  }

  /**
   * {@return this, with sl set; for drivers}
   *
   * @param value service level, 0 to 15 (datagrams)
   */
  @AnyContext
  public WorkCompletion sl(int value) {
    sl = value;
    return this;
  }

  /** {@return bits of {@link WcFlags}} */
  public int wcFlags() {
    return wcFlags;
  }

  /**
   * {@return this, with wcFlags set; for drivers}
   *
   * @param value bits of {@link WcFlags}
   */
  @AnyContext
  public WorkCompletion wcFlags(int value) {
    wcFlags = value;
    return this;
  }

  /**
   * Returns the device's own error number.
   *
   * @return of devices of soft and rxe the syndrome of the peer's NAK (IBA table 45): {@code 0x60}
   *     sequence, {@code 0x61} invalid request, {@code 0x62} remote access, {@code 0x63} remote
   *     operation, {@code 0x20} and more not ready; 0 when the failure is one of this side
   */
  public int vendorError() {
    return vendorError;
  }

  /**
   * {@return this, with vendorError set; for drivers}
   *
   * @param value the vendor's own error number; 0 if there is none
   */
  @AnyContext
  public WorkCompletion vendorError(int value) {
    vendorError = value;
    return this;
  }

  /** {@return index of the P_Key (GSI)} */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * {@return this, with pkeyIndex set; for drivers}
   *
   * @param value index of the P_Key (GSI)
   */
  @AnyContext
  public WorkCompletion pkeyIndex(int value) {
    pkeyIndex = value;
    return this;
  }

  /** {@return low bits of the LID it came to (datagrams)} */
  public int dlidPathBits() {
    return dlidPathBits;
  }

  /**
   * {@return this, with dlidPathBits set; for drivers}
   *
   * @param value low bits of the LID it came to (datagrams)
   */
  @AnyContext
  public WorkCompletion dlidPathBits(int value) {
    dlidPathBits = value;
    return this;
  }

  /**
   * {@return bytes of data in each segment but the last when segments arrived together ({@link
   * QpCreateFlags#COALESCED_RECEIVE}), else 0}
   */
  public int mss() {
    return mss;
  }

  /**
   * {@return this, with mss set; for drivers}
   *
   * @param value bytes of data in each segment but the last, 0 when it was no large send, to 65535
   */
  @AnyContext
  public WorkCompletion mss(int value) {
    mss = value;
    return this;
  }

  /** {@return time of completion in ns of the device's clock; 0 if it has none} */
  public long timestamp() {
    return timestamp;
  }

  /**
   * {@return this, with timestamp set; for drivers}
   *
   * @param value time of completion in ns of the device's clock; 0 if it has none
   */
  @AnyContext
  public WorkCompletion timestamp(long value) {
    timestamp = value;
    return this;
  }

  /** {@return callback given with the request; null if there was none} */
  public @Nullable Cqe cqe() {
    return cqe;
  }

  /**
   * {@return this, with cqe set; for drivers}
   *
   * @param value callback given with the request; null if there was none
   */
  @AnyContext
  public WorkCompletion cqe(@Nullable Cqe value) {
    cqe = value;
    return this;
  }

  /** {@return the values that matter, for people; of a failure also what to try} */
  @Override
  public String toString() {
    return status == WcStatus.SUCCESS
        ? values()
        : values() + ": " + status.label() + "; " + status.advice();
  }

  String values() {
    return "WorkCompletion[wrId=0x"
        + Long.toHexString(wrId)
        + " "
        + status
        + (status == WcStatus.SUCCESS
            ? " " + opcode
            : " vendorError=0x" + Integer.toHexString(vendorError))
        + " byteLen="
        + byteLen
        + " qpn=0x"
        + Integer.toHexString(qpn)
        + " wcFlags="
        + wcFlags
        + "]";
  }
}
