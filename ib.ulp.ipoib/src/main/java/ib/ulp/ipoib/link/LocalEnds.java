package ib.ulp.ipoib.link;

import ib.core.verbs.Gid;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ends of connections that are in this JVM and whose hosts accept whole TCP packets (D9).
 * Between two such ends a packet travels as the sender's kernel has left it: with the checksum of
 * the pseudo header only, and not cut. The reserved field of its encapsulation holds the payload
 * bytes of each segment; in any other packet it is 0 (RFC 4391 section 6). Other receivers ignore
 * that field, so nothing is sent whole unless both ends are here and each names the other. A
 * capture shows the field, and a checksum that a decoder calls wrong, as it does on a host whose
 * network card computes checksums. Any thread may call; no method blocks.
 */
final class LocalEnds {
  /**
   * One end.
   *
   * @param gid of its port
   * @param qpn number of the connection's queue pair
   */
  record End(Gid gid, int qpn) {}

  private final Map<End, End> peers = new ConcurrentHashMap<>();

  void add(End own, End peer) {
    peers.put(own, peer);
  }

  void remove(End own) {
    peers.remove(own);
  }

  /** {@return whether both ends are here and belong to one connection} */
  boolean joined(End own, End peer) {
    return peer.equals(peers.get(own)) && own.equals(peers.get(peer));
  }
}
