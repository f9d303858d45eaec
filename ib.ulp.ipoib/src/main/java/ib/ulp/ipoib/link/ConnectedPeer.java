package ib.ulp.ipoib.link;

import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** A peer that there is something to send to in connected mode. */
final class ConnectedPeer {
  final LinkAddress address;
  final Deque<byte[]> queue = new ArrayDeque<>(); // too long for a datagram
  boolean resolving;
  boolean doubtful; // it did not answer: nothing waits for it any more, until it does
  int failures;
  long notBeforeNs;
  long usedNs;

  ConnectedPeer(LinkAddress address) {
    this.address = address;
  }
}
