package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair (IBA verb Modify QP), for modify and query. Each setter records the
 * {@link QpAttrMask} bit, so {@link #mask} says which were set; the others have a neutral value. A
 * setter throws {@link IbInvalidException} if a number is out of its range. Mutable, for one
 * thread.
 */
@NotThreadSafe
public final class QpAttr implements Cloneable {
  private int mask;
  private QpState state = QpState.RESET;
  private QpState curState = QpState.RESET;
  private boolean enSqdAsyncNotify;
  private int accessFlags;
  private int pkeyIndex;
  private int port;
  private int qkey;
  private @Nullable AhAttr av;
  private Mtu pathMtu = Mtu.MTU_256;
  private int timeout;
  private int retryCount;
  private int rnrRetry;
  private int rqPsn;
  private int maxRdAtomic;
  private int minRnrTimer;
  private int sqPsn;
  private int maxDestRdAtomic;
  private MigState pathMigState = MigState.MIGRATED;
  private QpCap cap = new QpCap(0, 0, 0, 0, 0);
  private int destQpn;
  private @Nullable AltPath altPath;

  /** No attribute is set. */
  public QpAttr() {}

  /** {@return the attributes that are set, bits of {@link QpAttrMask}} */
  public int mask() {
    return mask;
  }

  /**
   * Whether an attribute is set.
   *
   * @param attribute which
   * @return whether its bit is in the mask
   */
  public boolean has(QpAttrMask attribute) {
    return (mask & attribute.mask()) != 0;
  }

  private QpAttr set(QpAttrMask attribute) {
    mask |= attribute.mask();
    return this;
  }

  /** {@return a copy that changes to this do not reach} */
  public QpAttr copy() {
    try {
      return (QpAttr) clone(); // no attribute is itself mutable
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * {@return this, with STATE set}
   *
   * @param value the state to go to
   */
  public QpAttr state(QpState value) {
    state = IbInvalidException.given(value, "QpAttr.state", "state");
    return set(QpAttrMask.STATE);
  }

  /** {@return the state to go to} */
  public QpState state() {
    return state;
  }

  /**
   * {@return this, with CUR_STATE set}
   *
   * @param value the state the caller believes the QP is in
   */
  public QpAttr curState(QpState value) {
    curState = IbInvalidException.given(value, "QpAttr.curState", "curState");
    return set(QpAttrMask.CUR_STATE);
  }

  /** {@return the state the caller believes the QP is in} */
  public QpState curState() {
    return curState;
  }

  /**
   * {@return this, with EN_SQD_ASYNC_NOTIFY set}
   *
   * @param value whether SQ_DRAINED is raised when the send queue is drained
   */
  public QpAttr enSqdAsyncNotify(boolean value) {
    enSqdAsyncNotify = value;
    return set(QpAttrMask.EN_SQD_ASYNC_NOTIFY);
  }

  /** {@return whether SQ_DRAINED is raised when the send queue is drained} */
  public boolean enSqdAsyncNotify() {
    return enSqdAsyncNotify;
  }

  /**
   * {@return this, with ACCESS_FLAGS set}
   *
   * @param value what the peer may do, bits of {@link Access}
   */
  public QpAttr accessFlags(int value) {
    accessFlags = value;
    return set(QpAttrMask.ACCESS_FLAGS);
  }

  /** {@return what the peer may do, bits of {@link Access}} */
  public int accessFlags() {
    return accessFlags;
  }

  /**
   * {@return this, with PKEY_INDEX set}
   *
   * @param value index of the P_Key, 16 bits
   */
  public QpAttr pkeyIndex(int value) {
    pkeyIndex = Range.check("pkeyIndex", value, 0xFFFF);
    return set(QpAttrMask.PKEY_INDEX);
  }

  /** {@return index of the P_Key, 16 bits} */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * {@return this, with PORT set}
   *
   * @param value port number, 1 to 255
   */
  public QpAttr port(int value) {
    port = Range.check("port", value, 0xFF);
    return set(QpAttrMask.PORT);
  }

  /** {@return port number, 1 to 255} */
  public int port() {
    return port;
  }

  /**
   * {@return this, with QKEY set}
   *
   * @param value Q_Key, 32 bits; the highest bit marks a privileged key
   */
  public QpAttr qkey(int value) {
    qkey = value;
    return set(QpAttrMask.QKEY);
  }

  /** {@return Q_Key, 32 bits; the highest bit marks a privileged key} */
  public int qkey() {
    return qkey;
  }

  /**
   * {@return this, with AV set}
   *
   * @param value address of the peer
   */
  public QpAttr av(AhAttr value) {
    av = IbInvalidException.given(value, "QpAttr.av", "av");
    return set(QpAttrMask.AV);
  }

  /** {@return address of the peer; null if not set} */
  public @Nullable AhAttr av() {
    return av;
  }

  /**
   * {@return this, with PATH_MTU set}
   *
   * @param value MTU of the path
   */
  public QpAttr pathMtu(Mtu value) {
    pathMtu = IbInvalidException.given(value, "QpAttr.pathMtu", "pathMtu");
    return set(QpAttrMask.PATH_MTU);
  }

  /** {@return MTU of the path} */
  public Mtu pathMtu() {
    return pathMtu;
  }

  /**
   * {@return this, with TIMEOUT set}
   *
   * @param value local ACK timeout 4.096 us * 2^n, 0 to 31; 0 waits without end
   */
  public QpAttr timeout(int value) {
    timeout = Range.check("timeout", value, 31);
    return set(QpAttrMask.TIMEOUT);
  }

  /** {@return local ACK timeout 4.096 us * 2^n, 0 to 31; 0 waits without end} */
  public int timeout() {
    return timeout;
  }

  /**
   * {@return this, with RETRY_CNT set}
   *
   * @param value retries after timeout or sequence error, 0 to 7
   */
  public QpAttr retryCount(int value) {
    retryCount = Range.check("retryCount", value, 7);
    return set(QpAttrMask.RETRY_CNT);
  }

  /** {@return retries after timeout or sequence error, 0 to 7} */
  public int retryCount() {
    return retryCount;
  }

  /**
   * {@return this, with RNR_RETRY set}
   *
   * @param value retries after receiver not ready, 0 to 6; 7 retries without end
   */
  public QpAttr rnrRetry(int value) {
    rnrRetry = Range.check("rnrRetry", value, 7);
    return set(QpAttrMask.RNR_RETRY);
  }

  /** {@return retries after receiver not ready, 0 to 6; 7 retries without end} */
  public int rnrRetry() {
    return rnrRetry;
  }

  /**
   * {@return this, with RQ_PSN set}
   *
   * @param value first PSN expected, 24 bits
   */
  public QpAttr rqPsn(int value) {
    rqPsn = Range.check("rqPsn", value, WellKnown.PSN_MASK);
    return set(QpAttrMask.RQ_PSN);
  }

  /** {@return first PSN expected, 24 bits} */
  public int rqPsn() {
    return rqPsn;
  }

  /**
   * {@return this, with MAX_QP_RD_ATOMIC set}
   *
   * @param value reads and atomics under way as initiator, 0 to 255
   */
  public QpAttr maxRdAtomic(int value) {
    maxRdAtomic = Range.check("maxRdAtomic", value, 0xFF);
    return set(QpAttrMask.MAX_QP_RD_ATOMIC);
  }

  /** {@return reads and atomics under way as initiator, 0 to 255} */
  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  /**
   * {@return this, with MIN_RNR_TIMER set}
   *
   * @param value code of the shortest wait an RNR NAK asks for, 0 to 31
   */
  public QpAttr minRnrTimer(int value) {
    minRnrTimer = Range.check("minRnrTimer", value, 31);
    return set(QpAttrMask.MIN_RNR_TIMER);
  }

  /** {@return code of the shortest wait an RNR NAK asks for, 0 to 31} */
  public int minRnrTimer() {
    return minRnrTimer;
  }

  /**
   * {@return this, with SQ_PSN set}
   *
   * @param value first PSN sent, 24 bits
   */
  public QpAttr sqPsn(int value) {
    sqPsn = Range.check("sqPsn", value, WellKnown.PSN_MASK);
    return set(QpAttrMask.SQ_PSN);
  }

  /** {@return first PSN sent, 24 bits} */
  public int sqPsn() {
    return sqPsn;
  }

  /**
   * {@return this, with MAX_DEST_RD_ATOMIC set}
   *
   * @param value reads and atomics served as responder, 0 to 255
   */
  public QpAttr maxDestRdAtomic(int value) {
    maxDestRdAtomic = Range.check("maxDestRdAtomic", value, 0xFF);
    return set(QpAttrMask.MAX_DEST_RD_ATOMIC);
  }

  /** {@return reads and atomics served as responder, 0 to 255} */
  public int maxDestRdAtomic() {
    return maxDestRdAtomic;
  }

  /**
   * {@return this, with PATH_MIG_STATE set}
   *
   * @param value path migration state
   */
  public QpAttr pathMigState(MigState value) {
    pathMigState = IbInvalidException.given(value, "QpAttr.pathMigState", "pathMigState");
    return set(QpAttrMask.PATH_MIG_STATE);
  }

  /** {@return path migration state} */
  public MigState pathMigState() {
    return pathMigState;
  }

  /**
   * {@return this, with CAP set}
   *
   * @param value capacities of the work queues
   */
  public QpAttr cap(QpCap value) {
    cap = IbInvalidException.given(value, "QpAttr.cap", "cap");
    return set(QpAttrMask.CAP);
  }

  /** {@return capacities of the work queues} */
  public QpCap cap() {
    return cap;
  }

  /**
   * {@return this, with DEST_QPN set}
   *
   * @param value QP number of the peer, 24 bits
   */
  public QpAttr destQpn(int value) {
    destQpn = Range.check("destQpn", value, WellKnown.QPN_MULTICAST);
    return set(QpAttrMask.DEST_QPN);
  }

  /** {@return QP number of the peer, 24 bits} */
  public int destQpn() {
    return destQpn;
  }

  /**
   * {@return this, with ALT_PATH set}
   *
   * @param av address of the peer over the alternate path
   * @param pkeyIndex index of the P_Key there, 16 bits
   * @param port port to leave by, 1 to 255
   * @param timeout local ACK timeout there, 0 to 31
   */
  public QpAttr altPath(AhAttr av, int pkeyIndex, int port, int timeout) {
    altPath = new AltPath(av, pkeyIndex, port, timeout);
    return set(QpAttrMask.ALT_PATH);
  }

  /** {@return the alternate path; null if not set} */
  public @Nullable AltPath altPath() {
    return altPath;
  }

  /** {@return the names of the attributes that are set} */
  @Override
  public String toString() {
    return "QpAttr" + QpAttrMask.of(mask);
  }
}
