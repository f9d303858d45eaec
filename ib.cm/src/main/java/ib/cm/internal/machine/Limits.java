package ib.cm.internal.machine;

/**
 * The limits of each peer at a port (API-9).
 *
 * @param halfOpen connections of one peer that it has asked for and not confirmed
 * @param halfOpenOfAll such connections of all peers; an eighth of them is for peers that have none
 * @param overdue those of one peer whose REP had to be sent again
 * @param requests REQs of one peer in a second that may make a connection
 * @param asked REQs that are under way to one peer, and as many DREQs; see {@link Pace}
 */
record Limits(int halfOpen, int halfOpenOfAll, int overdue, int requests, int asked) {
  /** Those of every port. */
  static final Limits DEFAULT = new Limits(16_384, 8 * 16_384, 1_024, 200_000, Pace.PLACES);
}
