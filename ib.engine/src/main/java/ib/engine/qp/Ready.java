package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.QpState;

/**
 * The bits that say whether a request may be executed at the peer without packets: the sender's
 * {@link QpCore#blocked} is 0, and the receiver's {@link QpCore#refuses} has no bit that the
 * request needs clear. Only the thread that holds the claim of a queue pair reads and writes its
 * bits.
 *
 * <table>
 * <caption>Who writes them</caption>
 * <tr><th>bit</th><th>set by</th><th>cleared by</th></tr>
 * <tr><td>{@link #NOT_RTS}</td><td>each change to a state but RTS</td><td>the change to RTS</td></tr>
 * <tr><td>{@link #ALONE}</td><td>creation, {@code Join.part}</td><td>{@code Join.look}</td></tr>
 * <tr><td>{@link #NO_WAY}</td><td>{@code Join.look}</td><td>{@code Join.look}</td></tr>
 * <tr><td>{@link #UNDER_WAY}</td><td>{@code Requester}, when it numbers a request that goes as
 * packets, and when it halts</td><td>{@code DirectSends}, before the next request, when all that was
 * begun has completed and nothing waits</td></tr>
 * <tr><td>{@link #NOT_LIVE}</td><td>each change to a state that does not answer</td><td>the change
 * to one that does</td></tr>
 * <tr><td>{@link #SILENT}</td><td>the change to RTR</td><td>the first packet, and each change to
 * another state</td></tr>
 * <tr><td>{@link #MIDDLE}</td><td>{@code ConnectedResponder}, at the end of its step</td><td>the
 * same, and the change to RESET</td></tr>
 * <tr><td>{@link #NO_WRITE}, {@link #NO_READ}</td><td>creation and modify</td><td>modify</td></tr>
 * </table>
 */
public final class Ready {
  // ---- blocked ----

  /** The sender is not in RTS. */
  public static final int NOT_RTS = 1;

  /** The sender is joined with no peer: it was not found yet, or one of the two was modified. */
  public static final int ALONE = 2;

  /** The sender's requests go as packets until all that were begun have completed. */
  public static final int UNDER_WAY = 4;

  /** No undisturbed way was found when it was looked for last. */
  public static final int NO_WAY = 8;

  // ---- refuses ----

  /** The receiver is in a state in which it does not answer. */
  static final int NOT_LIVE = 1;

  /** The first packet raises COMM_EST at the receiver. */
  public static final int SILENT = 2;

  /**
   * The receiver is in the middle of something that packets began: a message, an answer, an
   * acknowledgement that is due, a repetition that it asked for.
   */
  public static final int MIDDLE = 4;

  /** The peer has no right to write. */
  static final int NO_WRITE = 8;

  /** The peer has no right to read, or no resources for it. */
  static final int NO_READ = 16;

  static final int NEW_BLOCKED = NOT_RTS | ALONE;
  static final int NEW_REFUSES = NOT_LIVE | NO_WRITE | NO_READ;

  private static final int ALWAYS = NOT_LIVE | SILENT | MIDDLE;

  private Ready() {}

  /** The bits of the receiver that must be clear for a request. */
  public static int need(int what) {
    return ALWAYS
        | ((what & Verb.WRITE) != 0 ? NO_WRITE : 0)
        | ((what & Verb.READ) != 0 ? NO_READ : 0);
  }

  /** The queue pair has entered a state. */
  static void entered(QpCore qp, QpState state) {
    boolean rts = state == QpState.RTS;
    boolean silent = state == QpState.RTR;
    boolean live = rts || silent || state == QpState.SQD || state == QpState.SQE;
    qp.blocked = qp.blocked & ~NOT_RTS | (rts ? 0 : NOT_RTS);
    qp.refuses = qp.refuses & ~(NOT_LIVE | SILENT) | (live ? 0 : NOT_LIVE) | (silent ? SILENT : 0);
  }

  /** The rights of the peer have changed. */
  public static void granted(QpCore qp) {
    int access = qp.access;
    boolean writes = (access & Access.REMOTE_WRITE) != 0;
    boolean reads =
        (access & Access.REMOTE_READ) != 0 && qp.responder instanceof ReceiveState r && r.reads();
    qp.refuses =
        qp.refuses & ~(NO_WRITE | NO_READ) | (writes ? 0 : NO_WRITE) | (reads ? 0 : NO_READ);
  }
}
