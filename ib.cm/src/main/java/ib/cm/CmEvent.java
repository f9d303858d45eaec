package ib.cm;

/**
 * An event of a connection. An active side hears {@link Replied}, {@link Established}; a passive
 * side {@link Requested}, {@link Established}; both end with {@link Ended} and {@link Released}.
 * Private data is the whole field of the message, with zeros behind what the peer wrote (CM-11).
 */
public sealed interface CmEvent {
  /**
   * A peer wants to connect: call {@link CmConnection#accept} or {@link CmConnection#reject}.
   *
   * @param serviceId service ID
   * @param path the path to the peer
   * @param peer the peer's queue pair
   * @param terms times and retries that the peer has chosen
   * @param privateData 92 bytes
   */
  record Requested(long serviceId, CmPath path, CmEndpoint peer, CmTerms terms, byte[] privateData)
      implements CmEvent {}

  /**
   * The peer has accepted: move the queue pair, then call {@link CmConnection#ready}.
   *
   * @param peer the peer's queue pair
   * @param privateData 196 bytes
   */
  record Replied(CmEndpoint peer, byte[] privateData) implements CmEvent {}

  /**
   * Both sides are ready.
   *
   * @param privateData of the RTU, 224 bytes; empty on the active side, and where data came first
   */
  record Established(byte[] privateData) implements CmEvent {}

  /**
   * The connection has ended: move the queue pair to the error state.
   *
   * @param how how
   * @param reason reason of a rejection (IBA table 108), or the error number of the host, else 0
   * @param info additional information of a rejection, else empty
   * @param privateData of the message that has ended it; empty when no message has
   */
  record Ended(CmEnd how, int reason, byte[] info, byte[] privateData) implements CmEvent {}

  /** Timewait is over: the queue pair may be destroyed or used again. No event follows. */
  record Released() implements CmEvent {}
}
