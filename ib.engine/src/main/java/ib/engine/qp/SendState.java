package ib.engine.qp;

import ib.core.verbs.WcStatus;
import ib.engine.ring.SendRing;

/**
 * Where the packet way stands with the requests of one send queue: the fields of {@link Requester},
 * and those that {@link AckRequests}, {@link LocalWork} and {@link LargeSend} keep for it between
 * two calls. One object, so that a queue pair is small. Only the thread that holds the queue pair's
 * claim may touch them.
 */
abstract class SendState {
  // ---- Requester ----

  /** The ring, of this life of the queue pair. */
  SendRing ring;

  /** The request that is being sent or is next. */
  long cursor;

  /** Requests are known to be published up to here. */
  long batchEnd;

  /** Index after the newest request that has sequence numbers. */
  long started;

  /** The first sequence number that no request has. */
  int psnNext;

  /** The first sequence number that was never sent. */
  int psnSent;

  /** How many requests with an answer of their own are under way. */
  int readsOut;

  /** The index of a request with a local error: nothing is sent from there on. */
  long haltIndex = Long.MAX_VALUE;

  /** The local error. */
  WcStatus haltStatus = WcStatus.SUCCESS;

  /** Whether it waits for a free packet. */
  boolean wantsPacket;

  /** Whether SQ_DRAINED is to be raised. */
  boolean drainWanted;

  // ---- AckRequests ----

  /** All sequence numbers before this one will be acknowledged, as far as is known. */
  int ackEnd;

  /** How many requests in a row did not ask for an acknowledgement. */
  int silent;

  // ---- LocalWork ----

  /** Whether the local request in progress has run, but is not complete yet. */
  boolean localExecuted;

  /** Whether other queue pairs still copy through what the local request has taken away. */
  boolean localUnsettled;

  // ---- LargeSend ----

  /** Whether the large send in progress leaves as one packet. */
  boolean together;

  /** Makes that of a ring. */
  SendState(SendRing ring) {
    this.ring = ring;
  }
}
