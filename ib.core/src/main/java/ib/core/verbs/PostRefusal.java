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
  private static final int FLAGS =
      SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

  /** {@return the text of a status, with its cause if there is one} */
  static String text(int status, @Nullable PostRefusal cause) {
    String name = PostStatus.text(status);
    return cause == null
        ? name
        : PostStatus.told(name.substring(0, name.indexOf(' ')), status, cause.why, cause.hint);
  }

  /** {@return why no send is accepted, whatever it is; null if that cannot be seen} */
  private static @Nullable PostRefusal ofQueue(int status, QueuePair qp) {
    QpCap cap = qp.cap();
    QpState state = qp.state();
    boolean before = state.ordinal() < QpState.RTS.ordinal();
    return switch (status) {
      case PostStatus.QUEUE_FULL ->
          of("all %d slots of the send queue are taken", cap.maxSendWr())
              .hint("poll the completion queue, then post again");
      case PostStatus.INVALID ->
          before ? of("%s is in %s", qp, state).hint("modify it to RTS before it sends") : null;
      default -> null;
    };
  }

  /** {@return why a batch was refused} */
  static @Nullable PostRefusal ofState(int status, QueuePair qp) {
    PostRefusal cause = ofQueue(status, qp);
    QpCap cap = qp.cap();
    return cause != null || status != PostStatus.INVALID
        ? cause
        : of("%s is in %s, so it is the request", qp, qp.state())
            .hint(
                "at most %d elements and %d bytes of inline data; INLINE with SEND and WRITE only;"
                    + " an address handle of the queue pair's domain in a datagram",
                cap.maxSendSge(), cap.maxInlineData());
  }

  /** {@return why a send was refused} */
  static @Nullable PostRefusal ofSend(int status, QueuePair qp, SendWr wr) {
    PostRefusal cause = ofQueue(status, qp);
    if (cause != null) {
      return cause;
    }
    if (status == PostStatus.NOT_SUPPORTED) {
      return of("%s has no %s", qp.type(), wr.opcode())
          .hint("another type of queue pair; IbDevice.has says what the device has");
    }
    if (status != PostStatus.INVALID) {
      return null;
    }
    QpCap cap = qp.cap();
    boolean inline = (wr.flags() & SendFlags.INLINE) != 0;
    if ((wr.flags() & ~FLAGS) != 0) {
      return of("0x%x is no flag of SendFlags", wr.flags() & ~FLAGS).hint("bits of SendFlags only");
    }
    if (wr.sgeCount() > cap.maxSendSge()) {
      return of("%d elements, where QpCap.maxSendSge is %d", wr.sgeCount(), cap.maxSendSge())
          .hint("a larger maxSendSge, or data in fewer pieces");
    }
    if (inline && inlineLength(wr) > cap.maxInlineData()) {
      return of(
              "%d bytes of inline data, where QpCap.maxInlineData is %d",
              inlineLength(wr), cap.maxInlineData())
          .hint("a larger maxInlineData, or registered memory without INLINE");
    }
    if (inline && !wr.opcode().name().matches("SEND.*|RDMA_WRITE.*")) {
      return of("%s has no inline data", wr.opcode()).hint("registered memory without INLINE");
    }
    MemorySegment data = wr.inlineSegment();
    if (data != null && !(data.scope().isAlive() && data.isAccessibleBy(Thread.currentThread()))) {
      return of("the inline data cannot be read: its arena is closed, or of another thread")
          .hint("a shared arena that is open until the post returns");
    }
    if (qp.type() == QpType.UD || qp.type() == QpType.GSI || qp.type() == QpType.SMI) {
      String handle = wr.ah() == null ? "no address handle" : wr.ah() + " is not of this domain";
      return of("%s, or no P_Key of that index", handle)
          .hint("an address handle of the queue pair's own domain and port");
    }
    return of("the arguments of %s", wr.opcode())
        .hint("memory of the queue pair's own device, as MemoryWork says");
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
    QpCap cap = qp.cap();
    if (status == PostStatus.QUEUE_FULL) {
      return of("all %d slots of the receive queue are taken", cap.maxRecvWr())
          .hint("poll the completion queue, then post again");
    }
    if (status != PostStatus.INVALID) {
      return null;
    }
    if (qp.init().srq() != null) {
      return of("%s takes its receives from an SRQ", qp).hint("post them to the SRQ");
    }
    return qp.state() == QpState.RESET
        ? of("%s is in RESET", qp).hint("modify it to INIT before receives are posted")
        : of("%d elements, where QpCap.maxRecvSge is %d", wr.sgeCount(), cap.maxRecvSge())
            .hint("a larger maxRecvSge, or fewer elements");
  }

  private static PostRefusal of(String why, Object... values) {
    return new PostRefusal(String.format(Locale.ROOT, why, values), "");
  }

  private PostRefusal hint(String format, Object... values) {
    return new PostRefusal(why, String.format(Locale.ROOT, format, values));
  }
}
