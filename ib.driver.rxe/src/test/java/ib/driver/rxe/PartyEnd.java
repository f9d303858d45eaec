package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.List;

/** A queue pair with memory of its own, somewhere. */
final class PartyEnd {
  final Party party;
  final String name;
  final int qpn;
  final int rkey;
  final long address;
  final String gid;

  /**
   * What became of a request.
   *
   * @param id its number
   * @param status how it ended
   * @param opcode what it was
   * @param bytes how long
   * @param immediate data, or the key that was invalidated
   */
  record Done(long id, WcStatus status, String opcode, int bytes, int immediate) {}

  /** Makes one: a device, memory and a queue pair that nobody knows. */
  PartyEnd(Party party, String name, QpType type) {
    this.party = party;
    this.name = name;
    String[] words = party.tell("open", name, type).split(" ");
    qpn = Integer.parseInt(words[0]);
    rkey = Integer.parseInt(words[1]);
    address = Long.parseLong(words[2]);
    gid = words[3];
  }

  /** Connects two, or tells two datagram ends of each other, patient as usual. */
  static void connect(PartyEnd a, PartyEnd b) {
    connect(a, b, 17, 7, 7);
  }

  /** The same with another patience: code of the timeout, retries, RNR retries. */
  static void connect(PartyEnd a, PartyEnd b, int timeout, int retries, int rnrRetries) {
    a.up(b.gid, b.qpn, timeout, retries, rnrRetries);
    b.up(a.gid, a.qpn, timeout, retries, rnrRetries);
  }

  void up(String peer, int peerQpn, int timeout, int retries, int rnrRetries) {
    party.tell("up", name, peer, peerQpn, timeout, retries, rnrRetries);
  }

  void fill(int offset, int bytes, long seed) {
    party.tell("fill", name, offset, bytes, seed);
  }

  /** Every byte must be as {@link #fill} makes it. */
  void same(String what, int offset, int bytes, long seed) {
    assertEquals(
        "-1", party.tell("differs", name, offset, bytes, seed), what + ": first wrong byte");
  }

  void receive(long id, int offset, int bytes) {
    party.tell("receive", name, id, offset, bytes);
  }

  /** Posts a request at memory of the peer; what it is about lies at an offset of both. */
  void post(WrOpcode op, long id, int offset, int bytes, PartyEnd to, int remoteOffset) {
    post(op, id, offset, bytes, to.rkey, to.address + remoteOffset, to.qpn);
  }

  void post(WrOpcode op, long id, int offset, int bytes, int key, long remote, int remoteQpn) {
    party.tell("post", name, op, id, offset, bytes, key, remote, remoteQpn);
  }

  /** The next completion. */
  Done next() {
    String[] words = party.tell("next", name).split(" ");
    return new Done(
        Long.parseLong(words[0]),
        WcStatus.valueOf(words[1]),
        words[2],
        Integer.parseInt(words[3]),
        Integer.parseInt(words[4]));
  }

  /** The next completion, which must be this request's and end like that. */
  Done next(long id, WcStatus status) {
    Done done = next();
    assertEquals(List.of(id, status), List.of(done.id, done.status), done::toString);
    return done;
  }

  /** How many completions lie there. */
  int completions() {
    return Integer.parseInt(party.tell("count", name));
  }

  String state() {
    return party.tell("state", name);
  }

  void close() {
    party.tell("close", name);
  }
}
