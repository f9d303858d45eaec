package ib.core.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a post was refused, as far as the queue pair and the request show it. The data path returns a
 * number and keeps nothing; so the cause is looked for afterwards, in the order in which the
 * request was checked.
 *
 * @param why what was wrong
 * @param hint what to try
 */
record PostRefusal(String why, String hint) {
  private static final String ELEMENTS = "%d elements, where QpCap.%s is %d";

  /** {@return the text of a status, with its cause if there is one} */
  static String text(int status, @Nullable PostRefusal cause) {
    String name = PostStatus.text(status);
    return cause == null
        ? name
        : PostStatus.told(name.substring(0, name.indexOf(' ')), status, cause.why, cause.hint);
  }

  /** {@return why no send is accepted, whatever it is; null if that cannot be seen} */
  private static @Nullable PostRefusal ofQueue(int status, QueuePair qp) {
    if (status == PostStatus.QUEUE_FULL) {
      return full("send", qp.cap().maxSendWr());
    }
    boolean early = qp.state().ordinal() < QpState.RTS.ordinal();
    return status == PostStatus.INVALID && early
        ? of("modify it to RTS before it sends", "%s is in %s", qp, qp.state())
        : null;
  }

  private static PostRefusal full(String queue, int slots) {
    String hint = "poll the completion queue, then post again";
    return of(hint, "all %d slots of the %s queue are taken", slots, queue);
  }

  /** {@return why a batch was refused} */
  static @Nullable PostRefusal ofState(int status, QueuePair qp) {
    PostRefusal cause = ofQueue(status, qp);
    if (cause != null || status != PostStatus.INVALID) {
      return cause;
    }
    String limits =
        "at most %d elements and %d bytes of inline data; INLINE with SEND and WRITE only;"
            + " an address handle of the queue pair's domain in a datagram";
    QpCap cap = qp.cap();
    String hint = String.format(Locale.ROOT, limits, cap.maxSendSge(), cap.maxInlineData());
    return of(hint, "%s is in %s, so it is the request", qp, qp.state());
  }

  /** {@return why a send was refused} */
  static @Nullable PostRefusal ofSend(int status, QueuePair qp, SendWr wr) {
    PostRefusal cause = ofQueue(status, qp);
    if (cause != null) {
      return cause;
    }
    return switch (status) {
      case PostStatus.NOT_SUPPORTED ->
          of("IbDevice.has says what the device has", "%s has no %s", qp.type(), wr.opcode());
      case PostStatus.INVALID -> ofRequest(qp, wr);
      default -> null;
    };
  }

  private static PostRefusal ofRequest(QueuePair qp, SendWr wr) {
    QpCap cap = qp.cap();
    boolean inline = (wr.flags() & SendFlags.INLINE) != 0;
    int unknown = wr.flags() & ~SendFlags.ALL;
    if (unknown != 0) {
      return of("bits of SendFlags only", "0x%x is no flag of SendFlags", unknown);
    }
    if (wr.sgeCount() > cap.maxSendSge()) {
      String hint = "a larger maxSendSge, or data in fewer pieces";
      return of(hint, ELEMENTS, wr.sgeCount(), "maxSendSge", cap.maxSendSge());
    }
    if (inline && inlineLength(wr) > cap.maxInlineData()) {
      String why = "%d bytes of inline data, where QpCap.maxInlineData is %d";
      String hint = "a larger maxInlineData, or registered memory without INLINE";
      return of(hint, why, inlineLength(wr), cap.maxInlineData());
    }
    if (inline && !wr.opcode().name().matches("SEND.*|RDMA_WRITE.*")) {
      return of("registered memory without INLINE", "%s has no inline data", wr.opcode());
    }
    MemorySegment data = wr.inlineSegment();
    if (data != null && !(data.scope().isAlive() && data.isAccessibleBy(Thread.currentThread()))) {
      String why = "the inline data cannot be read: its arena is closed, or of another thread";
      return of("a shared arena that is open until the post returns", why);
    }
    if (qp.type() == QpType.UD || qp.type() == QpType.GSI || qp.type() == QpType.SMI) {
      String handle = wr.ah() == null ? "no address handle" : wr.ah() + " is not of this domain";
      String hint = "an address handle of the queue pair's own domain and port";
      return of(hint, "%s, or no P_Key of that index", handle);
    }
    String hint = "memory of the queue pair's own device, as MemoryWork says";
    return of(hint, "the arguments of %s", wr.opcode());
  }

  private static long inlineLength(SendWr wr) {
    long bytes = wr.inlineLength();
    for (int i = 0; wr.inlineSegment() == null && i < wr.sgeCount(); i++) {
      bytes += wr.sgeLength(i) & 0xffffffffL;
    }
    return bytes;
  }

  /** {@return why a receive was refused} */
  static @Nullable PostRefusal ofReceive(int status, QueuePair qp, RecvWr wr) {
    if (status == PostStatus.QUEUE_FULL) {
      return full("receive", qp.cap().maxRecvWr());
    }
    if (status != PostStatus.INVALID) {
      return null;
    }
    if (qp.init().srq() != null) {
      return of("post them to the SRQ", "%s takes its receives from an SRQ", qp);
    }
    if (qp.state() == QpState.RESET) {
      return of("modify it to INIT before receives are posted", "%s is in RESET", qp);
    }
    String hint = "a larger maxRecvSge, or fewer elements";
    return of(hint, ELEMENTS, wr.sgeCount(), "maxRecvSge", qp.cap().maxRecvSge());
  }

  private static PostRefusal of(String hint, String why, Object... values) {
    return new PostRefusal(String.format(Locale.ROOT, why, values), hint);
  }
}
