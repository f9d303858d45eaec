package ib.engine.qp;

import ib.core.wire.Psn;
import ib.engine.mr.Key;
import ib.engine.mr.RemoteAtomic;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The fields that {@code InboundMessage}, {@link ib.engine.packet.receive.InboundRequest} and
 * {@code Reply} keep for a {@code ConnectedResponder} between two packets. One object with it, so
 * that a queue pair is small. Only the thread that holds the queue pair's claim may touch these
 * fields.
 */
public abstract class ReceiveState extends Responder {
  public static final long[] NO_RESULTS = {};

  /** Farther away than any requester's window. */
  public static final int PSN_FAR = 1 << 22;

  /** The sequence number expected. */
  public int epsn;

  // ---- InboundMessage ----

  /** {@code Opcode.SEND} or {@code WRITE} in the middle of a message, else 0. */
  public int current;

  /** Bytes of the message so far. */
  public long done;

  public long writeLength;
  public long writeAddress;
  public @Nullable Key writeKey;
  public long writeVersion;

  /** Whether a send with invalidate is executed, and its key not settled. */
  public boolean unsettled;

  // ---- InboundRequest ----

  /** Made with the first atomic. */
  public @Nullable RemoteAtomic atomic;

  /** Made with the first atomic write. */
  public @Nullable MemorySegment value;

  /** How many requests with an answer of their own the peer may have under way. */
  public int resources;

  /**
   * Results, two words each: opcode and sequence number, then the original value. Made with the
   * first atomic.
   */
  public long[] results = NO_RESULTS;

  public int resultCount;
  public int newestResult;

  // ---- Reply ----

  /** Whether a request is being answered. */
  public boolean replying;

  /** Whether the region of the read went away meanwhile. */
  public boolean replyRefused;

  public boolean replyFirst;

  /** Whether the answer is that of an atomic. */
  public boolean replyAtomic;

  /** The sequence number of the response that comes next, or did not come. */
  public int replyPsn;

  public long replyAddress;
  public long replyLeft;

  /** Of a read that is not empty. */
  public @Nullable Key replyKey;

  public long replyVersion;
  public long replyOriginal;

  /** Whether a congestion notification was sent. */
  public boolean noticed;

  public long noticedNs;

  /** Makes that of a queue pair. */
  public ReceiveState(QpCore qp) {
    super(qp);
  }

  /** How far a sequence number is behind the one expected; any thread, roughly. */
  public final int behind(int psn) {
    return Psn.diff(qp.directReceived.ahead ? qp.directReceived.psn : epsn, psn);
  }

  /** Whether this is the sequence number expected. */
  public final boolean isNext(int psn) {
    return psn == epsn;
  }

  /** Whether the peer may have reads under way. */
  final boolean reads() {
    return resources > 0;
  }
}
