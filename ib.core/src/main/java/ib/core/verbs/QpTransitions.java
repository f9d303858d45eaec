package ib.core.verbs;

import static ib.core.verbs.QpAttrMask.ACCESS_FLAGS;
import static ib.core.verbs.QpAttrMask.ALT_PATH;
import static ib.core.verbs.QpAttrMask.AV;
import static ib.core.verbs.QpAttrMask.CUR_STATE;
import static ib.core.verbs.QpAttrMask.DEST_QPN;
import static ib.core.verbs.QpAttrMask.EN_SQD_ASYNC_NOTIFY;
import static ib.core.verbs.QpAttrMask.MAX_DEST_RD_ATOMIC;
import static ib.core.verbs.QpAttrMask.MAX_QP_RD_ATOMIC;
import static ib.core.verbs.QpAttrMask.MIN_RNR_TIMER;
import static ib.core.verbs.QpAttrMask.PATH_MIG_STATE;
import static ib.core.verbs.QpAttrMask.PATH_MTU;
import static ib.core.verbs.QpAttrMask.PKEY_INDEX;
import static ib.core.verbs.QpAttrMask.PORT;
import static ib.core.verbs.QpAttrMask.QKEY;
import static ib.core.verbs.QpAttrMask.RETRY_CNT;
import static ib.core.verbs.QpAttrMask.RNR_RETRY;
import static ib.core.verbs.QpAttrMask.RQ_PSN;
import static ib.core.verbs.QpAttrMask.SQ_PSN;
import static ib.core.verbs.QpAttrMask.STATE;
import static ib.core.verbs.QpAttrMask.TIMEOUT;
import static ib.core.verbs.QpState.ERR;
import static ib.core.verbs.QpState.INIT;
import static ib.core.verbs.QpState.RESET;
import static ib.core.verbs.QpState.RTR;
import static ib.core.verbs.QpState.RTS;
import static ib.core.verbs.QpState.SQD;
import static ib.core.verbs.QpState.SQE;
import static ib.core.verbs.QpType.GSI;
import static ib.core.verbs.QpType.RC;
import static ib.core.verbs.QpType.SMI;
import static ib.core.verbs.QpType.UC;
import static ib.core.verbs.QpType.UD;
import static ib.core.verbs.QpType.XRC_INI;
import static ib.core.verbs.QpType.XRC_TGT;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of queue pairs (IBA vol. 1 section 10.3.1; the attributes as in qp_state_table
 * of Linux) as data: which transitions are legal, and which attributes each requires and allows.
 * Any context.
 */
public final class QpTransitions {
  private static final Set<QpType> ALL = EnumSet.allOf(QpType.class);
  private static final Set<QpType> CONNECTED = EnumSet.of(RC, UC, XRC_INI, XRC_TGT);
  private static final Set<QpType> RESPONDER = EnumSet.of(RC, XRC_TGT);
  private static final Set<QpType> UNTIMED = EnumSet.of(UC, XRC_INI);
  private static final Set<QpType> MANAGEMENT = EnumSet.of(SMI, GSI);
  private static final Set<QpType> DATAGRAM = EnumSet.of(UD, SMI, GSI);
  private static final int NONE = 0;

  private record Rule(int required, int optional) {}

  /** By type, from, to; null where the transition is not legal. */
  private static final @Nullable Rule[][][] TABLE = table();

  private QpTransitions() {}

  private static @Nullable Rule[][][] table() {
    int states = QpState.values().length;
    @Nullable Rule[][][] t = new @Nullable Rule[ALL.size()][states][states];
    for (QpState from : QpState.values()) {
      rule(t, ALL, from, RESET, NONE, NONE);
      if (from != RESET) {
        rule(t, ALL, from, ERR, NONE, NONE);
      }
    }
    connect(t);
    send(t);
    drain(t);
    return t;
  }

  private static void connect(@Nullable Rule[][][] t) {
    int id = bits(PKEY_INDEX, PORT, ACCESS_FLAGS);
    rule(t, CONNECTED, RESET, INIT, id, NONE);
    rule(t, EnumSet.of(UD), RESET, INIT, bits(PKEY_INDEX, PORT, QKEY), NONE);
    rule(t, MANAGEMENT, RESET, INIT, bits(PKEY_INDEX, QKEY), NONE);

    rule(t, CONNECTED, INIT, INIT, NONE, id);
    rule(t, EnumSet.of(UD), INIT, INIT, NONE, bits(PKEY_INDEX, PORT, QKEY));
    rule(t, MANAGEMENT, INIT, INIT, NONE, bits(PKEY_INDEX, QKEY));

    int peer = bits(AV, PATH_MTU, DEST_QPN, RQ_PSN);
    int changes = bits(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX);
    rule(t, RESPONDER, INIT, RTR, peer | bits(MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER), changes);
    rule(t, UNTIMED, INIT, RTR, peer, changes);
    rule(t, DATAGRAM, INIT, RTR, NONE, bits(PKEY_INDEX, QKEY));
  }

  private static void send(@Nullable Rule[][][] t) {
    int path = bits(CUR_STATE, ALT_PATH, ACCESS_FLAGS, PATH_MIG_STATE);
    int timedPath = path | bits(MIN_RNR_TIMER);
    int key = bits(CUR_STATE, QKEY);

    int retries = bits(TIMEOUT, RETRY_CNT, RNR_RETRY, SQ_PSN, MAX_QP_RD_ATOMIC);
    rule(t, EnumSet.of(RC), RTR, RTS, retries, timedPath);
    rule(t, EnumSet.of(XRC_INI), RTR, RTS, retries, path);
    rule(t, EnumSet.of(XRC_TGT), RTR, RTS, bits(TIMEOUT, SQ_PSN), timedPath);
    rule(t, EnumSet.of(UC), RTR, RTS, bits(SQ_PSN), path);
    rule(t, DATAGRAM, RTR, RTS, bits(SQ_PSN), key);

    for (QpState from : EnumSet.of(RTS, SQD)) {
      rule(t, RESPONDER, from, RTS, NONE, timedPath);
      rule(t, UNTIMED, from, RTS, NONE, path);
      rule(t, DATAGRAM, from, RTS, NONE, key);
    }
    rule(t, EnumSet.of(UC), SQE, RTS, NONE, bits(CUR_STATE, ACCESS_FLAGS));
    rule(t, DATAGRAM, SQE, RTS, NONE, key);
  }

  private static void drain(@Nullable Rule[][][] t) {
    rule(t, ALL, RTS, SQD, NONE, bits(EN_SQD_ASYNC_NOTIFY));

    int path = bits(AV, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIG_STATE);
    int timedPath = path | bits(PORT, TIMEOUT);
    int requester = bits(RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC);
    int responder = bits(MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER);
    rule(t, EnumSet.of(UC), SQD, SQD, NONE, path);
    rule(t, EnumSet.of(RC), SQD, SQD, NONE, timedPath | requester | responder);
    rule(t, EnumSet.of(XRC_INI), SQD, SQD, NONE, timedPath | requester);
    rule(t, EnumSet.of(XRC_TGT), SQD, SQD, NONE, timedPath | responder);
    rule(t, DATAGRAM, SQD, SQD, NONE, bits(PKEY_INDEX, QKEY));
  }

  private static int bits(QpAttrMask... attributes) {
    int bits = 0;
    for (QpAttrMask a : attributes) {
      bits |= a.mask();
    }
    return bits;
  }

  private static void rule(
      @Nullable Rule[][][] t,
      Set<QpType> types,
      QpState from,
      QpState to,
      int required,
      int optional) {
    for (QpType type : types) {
      t[type.ordinal()][from.ordinal()][to.ordinal()] = new Rule(required, optional);
    }
  }

  private static @Nullable Rule find(QpType type, QpState from, QpState to) {
    return TABLE[type.ordinal()][from.ordinal()][to.ordinal()];
  }

  /**
   * Whether a QP may go from one state to another by modify.
   *
   * @param type transport service
   * @param from present state
   * @param to wanted state; the same as {@code from} changes attributes only
   * @return whether some set of attributes makes it go
   */
  @AnyContext
  public static boolean isLegal(QpType type, QpState from, QpState to) {
    return find(type, from, to) != null;
  }

  /**
   * Returns the attributes that a transition requires.
   *
   * @param type transport service
   * @param from present state
   * @param to wanted state
   * @return the attributes that must be given, STATE left out; empty if the transition is not legal
   */
  public static Set<QpAttrMask> required(QpType type, QpState from, QpState to) {
    Rule rule = find(type, from, to);
    return QpAttrMask.of(rule == null ? NONE : rule.required);
  }

  /**
   * Returns the attributes that a transition allows beside those that it requires.
   *
   * @param type transport service
   * @param from present state
   * @param to wanted state
   * @return the attributes that may be given, STATE left out; empty if the transition is not legal
   */
  public static Set<QpAttrMask> optional(QpType type, QpState from, QpState to) {
    Rule rule = find(type, from, to);
    return QpAttrMask.of(rule == null ? NONE : rule.optional);
  }

  /**
   * Checks a modify before the driver sees it: the transition is legal, nothing required is
   * missing, nothing else is given than what is allowed. STATE may always be given, and must then
   * be {@code to}; CUR_STATE must be {@code from}.
   *
   * @param type transport service
   * @param from present state
   * @param to wanted state, {@code from} if the attributes do not hold STATE
   * @param attr the attributes
   * @throws IbInvalidException naming what is missing and what is not allowed
   */
  @AnyContext
  public static void check(QpType type, QpState from, QpState to, QpAttr attr) {
    Rule rule = find(type, from, to);
    if (rule == null) {
      EnumSet<QpState> legal = EnumSet.allOf(QpState.class);
      legal.removeIf(s -> !isLegal(type, from, s));
      throw refusal(type, from, to, "not a legal transition", "one of " + legal);
    }
    int missing = rule.required & ~attr.mask();
    int extra = attr.mask() & ~(rule.required | rule.optional | STATE.mask());
    if (missing != 0 || extra != 0) {
      String why =
          (missing == 0 ? "" : "missing " + QpAttrMask.of(missing))
              + (missing != 0 && extra != 0 ? ", " : "")
              + (extra == 0 ? "" : "not allowed " + QpAttrMask.of(extra));
      throw refusal(type, from, to, why, advice(rule));
    }
    if (attr.has(STATE) && attr.state() != to) {
      throw refusal(type, from, to, "STATE says " + attr.state(), "state(" + to + ")");
    }
    if (attr.has(CUR_STATE) && attr.curState() != from) {
      throw refusal(type, from, to, "CUR_STATE says " + attr.curState(), "curState(" + from + ")");
    }
  }

  private static String advice(Rule rule) {
    String must = rule.required == 0 ? "no attribute" : QpAttrMask.of(rule.required).toString();
    String may = rule.optional == 0 ? "" : ", at will " + QpAttrMask.of(rule.optional);
    return "set " + must + may;
  }

  private static IbInvalidException refusal(
      QpType type, QpState from, QpState to, String why, String hint) {
    return new IbInvalidException("modify " + type + " QP " + from + " -> " + to, why, hint);
  }
}
