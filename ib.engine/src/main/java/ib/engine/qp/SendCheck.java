package ib.engine.qp;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import org.jspecify.annotations.Nullable;

/** What is refused at the post already (IBA vol. 1 section 11.4.1.1). Data path. */
final class SendCheck {
  static final int FLAGS =
      SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;
  private static final long SENDS = bit(WrOpcode.SEND) | bit(WrOpcode.SEND_WITH_IMM);
  private static final long WRITES = bit(WrOpcode.RDMA_WRITE) | bit(WrOpcode.RDMA_WRITE_WITH_IMM);
  private static final long READS = bit(WrOpcode.RDMA_READ);

  private SendCheck() {}

  private static long bit(WrOpcode op) {
    return 1L << op.value();
  }

  /** Which opcodes a queue pair offers, as bits of their values. */
  static long opcodes(int service) {
    return switch (service) {
      case Opcode.RC -> SENDS | WRITES | READS;
      case Opcode.UC -> SENDS | WRITES;
      default -> SENDS;
    };
  }

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
    if ((qp.opcodes() >>> opcode & 1) == 0) {
      return PostStatus.NOT_SUPPORTED;
    }
    if ((flags & ~FLAGS) != 0 || sges > qp.sendSgeMost() || inline > qp.inlineMost()) {
      return PostStatus.INVALID;
    }
    if ((flags & SendFlags.INLINE) != 0 && opcode == WrOpcode.RDMA_READ.value()) {
      return PostStatus.INVALID;
    }
    if (qp.datagram()) {
      return ah instanceof SoftAh a && a.domain() == qp.engine().domain && qp.reaches(a)
          ? PostStatus.OK
          : PostStatus.INVALID;
    }
    return PostStatus.OK;
  }
}
