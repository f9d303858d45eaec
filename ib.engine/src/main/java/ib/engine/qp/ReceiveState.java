package ib.engine.qp;

import ib.engine.mr.Key;
import ib.engine.mr.RemoteAtomic;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The fields that {@link InboundMessage}, {@link InboundRequest} and {@link Reply} keep for a
 * {@link ConnectedResponder} between two packets. One object with it, so that a queue pair is
 * small. Only the thread that holds the queue pair's claim may touch these fields.
 */
abstract class ReceiveState extends Responder {
  static final long[] NO_RESULTS = {};

  // ---- InboundMessage ----

  /** {@code Opcode.SEND} or {@code WRITE} in the middle of a message, else 0. */
  int current;

  /** Bytes of the message so far. */
  long done;

  long writeLength;
  long writeAddress;
  @Nullable Key writeKey;
  long writeVersion;

  /** Whether a send with invalidate is executed, and its key not settled. */
  boolean unsettled;

  // ---- InboundRequest ----

  /** Made with the first atomic. */
  @Nullable RemoteAtomic atomic;

  /** Made with the first atomic write. */
  @Nullable MemorySegment value;

  /** How many requests with an answer of their own the peer may have under way. */
  int resources;

  /**
   * Results, two words each: opcode and sequence number, then the original value. Made with the
   * first atomic.
   */
  long[] results = NO_RESULTS;

  int resultCount;
  int newestResult;

  // ---- Reply ----

  /** Whether a request is being answered. */
  boolean replying;

  /** Whether the region of the read went away meanwhile. */
  boolean replyRefused;

  boolean replyFirst;

  /** Whether the answer is that of an atomic. */
  boolean replyAtomic;

  /** The sequence number of the response that comes next, or did not come. */
  int replyPsn;

  long replyAddress;
  long replyLeft;

  /** Of a read that is not empty. */
  @Nullable Key replyKey;

  long replyVersion;
  long replyOriginal;

  /** Whether a congestion notification was sent. */
  boolean noticed;

  long noticedNs;

  /** Makes that of a queue pair. */
  ReceiveState(QpCore qp) {
    super(qp);
  }
}
