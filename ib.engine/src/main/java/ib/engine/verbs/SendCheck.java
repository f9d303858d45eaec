package ib.engine.verbs;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Flush;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.Hca;
import ib.engine.qp.Verb;
import org.jspecify.annotations.Nullable;

/** The checks of a send request when it is posted (IBA vol. 1 section 11.4.1.1). Data path. */
final class SendCheck {
  private SendCheck() {}

  /** Whether sends may be posted in a state: those from RTS on (IBA 10.3.1). */
  static boolean accepts(QpState state) {
    return switch (state) {
      case RTS, SQD, SQE, ERR -> true;
      case RESET, INIT, RTR -> false;
    };
  }

  /** {@return OK or why a request is refused} */
  static int request(
      SoftQp qp, int opcode, int flags, int sges, int inline, @Nullable AddressHandle ah) {
    if ((qp.opcodes >>> opcode & 1) == 0) {
      return PostStatus.NOT_SUPPORTED;
    }
    if ((flags & ~SendFlags.ALL) != 0 || sges > qp.sendSgeMost() || inline > qp.inlineMost()) {
      return PostStatus.INVALID;
    }
    int what = Verb.what(opcode);
    if ((flags & SendFlags.INLINE) != 0 && (what & (Verb.SEND | Verb.WRITE)) == 0) {
      return PostStatus.INVALID;
    }
    if (qp.datagram()) {
      return ah instanceof SoftAh a && a.domain == qp.engine.domain() && qp.reaches(a)
          ? PostStatus.OK
          : PostStatus.INVALID;
    }
    return PostStatus.OK;
  }

  /** {@return OK or why the arguments of a request on memory are refused} */
  static int memory(
      Hca hca,
      int opcode,
      @Nullable Object memory,
      @Nullable Object region,
      int feth,
      long length) {
    if (opcode == WrOpcode.BIND_MW.value()) {
      boolean bound = region instanceof SoftMr mr ? mr.isOf(hca) : region == null && length == 0;
      boolean binds = memory instanceof SoftMw mw && mw.isOf(hca);
      return binds && bound ? PostStatus.OK : PostStatus.INVALID;
    }
    if (opcode == WrOpcode.REG_MR.value()) {
      boolean registers = memory instanceof SoftMr mr && mr.fast() && mr.isOf(hca);
      return registers ? PostStatus.OK : PostStatus.INVALID;
    }
    if (opcode == WrOpcode.FLUSH.value()) {
      if ((feth & Flush.PERSISTENT) != 0) {
        return PostStatus.NOT_SUPPORTED; // memory here does not survive
      }
      boolean known = feth == Flush.GLOBAL || feth == (Flush.GLOBAL | Flush.MR << 4);
      return known && length >= 0 && length <= 1L << 31 ? PostStatus.OK : PostStatus.INVALID;
    }
    return PostStatus.OK;
  }
}
