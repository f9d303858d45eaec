package ib.driver.verbs.object;

import ib.core.verbs.AhAttr;
import ib.core.verbs.AltPath;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MigState;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpState;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** {@code ibv_qp_attr} in memory of C, and {@code ibv_qp_cap}. */
final class QpAttrs {
  static final long BYTES = Layout.size("ibv_qp_attr");
  static final long CAP_BYTES = Layout.size("ibv_qp_cap");
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final long STATE = word("qp_state");
  private static final long CUR_STATE = word("cur_qp_state");
  private static final long PATH_MTU = word("path_mtu");
  private static final long PATH_MIG_STATE = word("path_mig_state");
  private static final long QKEY = word("qkey");
  private static final long RQ_PSN = word("rq_psn");
  private static final long SQ_PSN = word("sq_psn");
  private static final long DEST_QP_NUM = word("dest_qp_num");
  private static final long ACCESS_FLAGS = word("qp_access_flags");
  private static final long CAP = Layout.at("ibv_qp_attr", "cap");
  private static final long AH_ATTR = Layout.at("ibv_qp_attr", "ah_attr");
  private static final long ALT_AH_ATTR = Layout.at("ibv_qp_attr", "alt_ah_attr");
  private static final long PKEY_INDEX = Layout.at("ibv_qp_attr", "pkey_index", 2);
  private static final long ALT_PKEY_INDEX = Layout.at("ibv_qp_attr", "alt_pkey_index", 2);
  private static final long EN_SQD_ASYNC_NOTIFY = octet("en_sqd_async_notify");
  private static final long MAX_RD_ATOMIC = octet("max_rd_atomic");
  private static final long MAX_DEST_RD_ATOMIC = octet("max_dest_rd_atomic");
  private static final long MIN_RNR_TIMER = octet("min_rnr_timer");
  private static final long PORT_NUM = octet("port_num");
  private static final long TIMEOUT = octet("timeout");
  private static final long RETRY_CNT = octet("retry_cnt");
  private static final long RNR_RETRY = octet("rnr_retry");
  private static final long ALT_PORT_NUM = octet("alt_port_num");
  private static final long ALT_TIMEOUT = octet("alt_timeout");
  private static final long[] CAPS = {
    Layout.at("ibv_qp_cap", "max_send_wr", 4),
    Layout.at("ibv_qp_cap", "max_recv_wr", 4),
    Layout.at("ibv_qp_cap", "max_send_sge", 4),
    Layout.at("ibv_qp_cap", "max_recv_sge", 4),
    Layout.at("ibv_qp_cap", "max_inline_data", 4)
  };

  private QpAttrs() {}

  private static long word(String field) {
    return Layout.at("ibv_qp_attr", field, 4);
  }

  private static long octet(String field) {
    return Layout.at("ibv_qp_attr", field, 1);
  }

  static void cap(MemorySegment into, long at, int... values) {
    for (int i = 0; i < CAPS.length; i++) {
      into.set(INT, at + CAPS[i], values[i]);
    }
  }

  static QpCap cap(MemorySegment from, long at) {
    return new QpCap(
        Math.max(0, from.get(INT, at + CAPS[0])),
        Math.max(0, from.get(INT, at + CAPS[1])),
        Math.max(0, from.get(INT, at + CAPS[2])),
        Math.max(0, from.get(INT, at + CAPS[3])),
        Math.max(0, from.get(INT, at + CAPS[4])));
  }

  static void write(MemorySegment into, QpAttr attr) {
    into.set(INT, STATE, attr.state().value());
    into.set(INT, CUR_STATE, attr.curState().value());
    into.set(INT, PATH_MTU, attr.pathMtu().value());
    into.set(INT, PATH_MIG_STATE, attr.pathMigState().value());
    into.set(INT, QKEY, attr.qkey());
    into.set(INT, RQ_PSN, attr.rqPsn());
    into.set(INT, SQ_PSN, attr.sqPsn());
    into.set(INT, DEST_QP_NUM, attr.destQpn());
    into.set(INT, ACCESS_FLAGS, attr.accessFlags());
    into.set(ValueLayout.JAVA_SHORT, PKEY_INDEX, (short) attr.pkeyIndex());
    set(into, EN_SQD_ASYNC_NOTIFY, attr.enSqdAsyncNotify() ? 1 : 0);
    set(into, MAX_RD_ATOMIC, attr.maxRdAtomic());
    set(into, MAX_DEST_RD_ATOMIC, attr.maxDestRdAtomic());
    set(into, MIN_RNR_TIMER, attr.minRnrTimer());
    set(into, PORT_NUM, attr.port());
    set(into, TIMEOUT, attr.timeout());
    set(into, RETRY_CNT, attr.retryCount());
    set(into, RNR_RETRY, attr.rnrRetry());
    AhAttr av = attr.av();
    if (av != null) {
      AhAttrs.write(into, AH_ATTR, av);
    }
    AltPath alt = attr.altPath();
    if (alt != null) {
      AhAttrs.write(into, ALT_AH_ATTR, alt.av());
      into.set(ValueLayout.JAVA_SHORT, ALT_PKEY_INDEX, (short) alt.pkeyIndex());
      set(into, ALT_PORT_NUM, alt.port());
      set(into, ALT_TIMEOUT, alt.timeout());
    }
  }

  private static void set(MemorySegment into, long at, int value) {
    into.set(ValueLayout.JAVA_BYTE, at, (byte) value);
  }

  private static int octet(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  static QpState state(MemorySegment from) {
    return QpState.of(from.get(INT, STATE));
  }

  static QpAttr read(MemorySegment from) {
    QpAttr attr =
        new QpAttr()
            .state(state(from))
            .curState(QpState.of(from.get(INT, CUR_STATE)))
            .enSqdAsyncNotify(octet(from, EN_SQD_ASYNC_NOTIFY) != 0)
            .accessFlags(from.get(INT, ACCESS_FLAGS))
            .pkeyIndex(from.get(ValueLayout.JAVA_SHORT, PKEY_INDEX) & 0xffff)
            .port(octet(from, PORT_NUM))
            .qkey(from.get(INT, QKEY))
            .timeout(octet(from, TIMEOUT) & 31)
            .retryCount(octet(from, RETRY_CNT) & 7)
            .rnrRetry(octet(from, RNR_RETRY) & 7)
            .rqPsn(from.get(INT, RQ_PSN) & 0xffffff)
            .maxRdAtomic(octet(from, MAX_RD_ATOMIC))
            .minRnrTimer(octet(from, MIN_RNR_TIMER) & 31)
            .sqPsn(from.get(INT, SQ_PSN) & 0xffffff)
            .maxDestRdAtomic(octet(from, MAX_DEST_RD_ATOMIC))
            .destQpn(from.get(INT, DEST_QP_NUM) & 0xffffff)
            .cap(cap(from, CAP));
    try {
      attr.av(AhAttrs.read(from, AH_ATTR));
      attr.pathMtu(Mtu.of(from.get(INT, PATH_MTU)));
      attr.pathMigState(MigState.of(from.get(INT, PATH_MIG_STATE)));
    } catch (IbInvalidException e) {
      return attr; // the device has no such attribute before the state that sets it
    }
    return attr;
  }

  /** All attributes that can be asked for. */
  static int all() {
    int mask = 0;
    for (QpAttrMask m : QpAttrMask.values()) {
      mask |= m.mask();
    }
    return mask;
  }
}
