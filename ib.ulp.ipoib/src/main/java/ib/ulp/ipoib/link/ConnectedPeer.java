package ib.ulp.ipoib.link;

import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** A peer that packets are sent to in connected mode. Used on the loop's thread only. */
final class ConnectedPeer {
  final LinkAddress address;
  final Deque<byte[]> queue =
      new ArrayDeque<>(); // packets that wait for a connection, all too long for a datagram
  boolean resolving;
  boolean doubtful; // the peer has not answered: no packet waits for it until it does
  int failures;
  long notBeforeNs;
  long usedNs;

  ConnectedPeer(LinkAddress address) {
    this.address = address;
  }
}
