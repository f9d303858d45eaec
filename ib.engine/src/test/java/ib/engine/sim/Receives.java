package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/** The receives of an endpoint, its own or its node's, and what arrives in them. */
final class Receives {
  private static final int GRH = 40;
  private static final int BEHIND = 64;

  private final Endpoint at;
  private final int grh;
  private final Region own;
  private final MemorySegment in;
  private final int slotBytes;
  private final ArrayDeque<Integer> posted = new ArrayDeque<>();
  private final RecvWr recvWr = new RecvWr(2);
  private int next;

  Receives(Endpoint at, String name) {
    this.at = at;
    Link link = at.link;
    this.grh = link.type == QpType.UD ? GRH : 0;
    int bytes = link.sizeMost + grh;
    this.own = at.node.region(name + " rx", (long) link.depth * bytes, Access.LOCAL_WRITE);
    SharedReceives shared = at.node.shared;
    this.in = at.sharesReceives ? shared.region.bytes : own.bytes;
    this.slotBytes = at.sharesReceives ? shared.slotBytes : bytes;
  }

  /** Posts up to so many; returns how many. */
  int post(int most) {
    if (at.sharesReceives) {
      return at.node.shared.post(most);
    }
    int n = 0;
    for (; n < most && posted.size() < at.link.depth; n++) {
      int slot = next++ % at.link.depth;
      long place = (long) slot * slotBytes;
      in.asSlice(place, slotBytes).fill(Endpoint.EMPTY);
      int cut = at.sim.random.nextInt(slotBytes + 1);
      recvWr.wrId(slot).clearSges();
      recvWr.addSge(own.mr.lkey(), own.mr.iova() + place, cut);
      recvWr.addSge(own.mr.lkey(), own.mr.iova() + place + cut, slotBytes - cut);
      int result = at.qp.postReceive(recvWr);
      if (result != PostStatus.OK) {
        throw new SimFailure(at + ": postReceive returns " + result);
      }
      posted.add(slot);
    }
    return n;
  }

  boolean isEmpty() {
    return posted.isEmpty();
  }

  int count() {
    return at.sharesReceives ? at.node.shared.count() : posted.size();
  }

  void forget() {
    posted.clear();
  }

  void completed(WorkCompletion wc) {
    if (at.sharesReceives) {
      at.node.shared.done(wc.wrId());
    } else {
      Integer slot = posted.poll();
      if (slot == null || slot != wc.wrId()) {
        throw new SimFailure(at + ": receive " + wc.wrId() + " completed, next is " + slot);
      }
    }
    if (wc.status() == WcStatus.WR_FLUSH_ERR && at.link.down()) {
      return;
    }
    if (wc.status() != WcStatus.SUCCESS) {
      throw new SimFailure(at + ": a receive completed with " + wc.status());
    }
    Request r = message(wc);
    boolean write = r.op == Request.Op.WRITE_IMM;
    if (wc.opcode() != (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV)) {
      throw new SimFailure(at + ": " + r + " arrived as " + wc.opcode());
    }
    if (wc.byteLen() != r.length + grh) {
      throw new SimFailure(at + ": " + r + " arrived with " + wc.byteLen() + " bytes");
    }
    checkFlags(wc, r);
    if (!write) {
      checkBytes(wc, r);
    } else if (at.reliable()) {
      at.checkWritten(r);
    }
    r.delivered = true;
    at.sim.delivered(r);
  }

  private void checkFlags(WorkCompletion wc, Request r) {
    boolean imm = (wc.wcFlags() & WcFlags.WITH_IMM) != 0;
    if (imm != r.op.hasImm() || (imm && wc.immData() != r.imm)) {
      throw new SimFailure(at + ": " + r + " arrived with other immediate data");
    }
    boolean inv = (wc.wcFlags() & WcFlags.WITH_INVALIDATE) != 0;
    Grant g = r.grant;
    if (inv != (r.op == Request.Op.SEND_INV) || (inv && (g == null || wc.immData() != g.key))) {
      throw new SimFailure(at + ": " + r + " arrived and invalidated something else");
    }
    if (inv && g != null) {
      g.changed(false);
    }
  }

  private void checkBytes(WorkCompletion wc, Request r) {
    long place = wc.wrId() * slotBytes + grh;
    long wrong = Pattern.mismatch(in, place, r);
    if (wrong >= 0) {
      throw new SimFailure(at + ": " + r + " arrived with wrong bytes from " + wrong);
    }
    if (at.link.type == QpType.UC) {
      return; // there may be bytes of an earlier message that did not come whole (IBA 9.8.2.2.1)
    }
    int behind = Math.min(BEHIND, slotBytes - grh - r.length);
    if (!Region.isFilled(in, place + r.length, behind, Endpoint.EMPTY)) {
      throw new SimFailure(at + ": behind " + r + " the receive buffer was written");
    }
  }

  /** Which message this is: the next one, or on an unreliable service the one that it says. */
  private Request message(WorkCompletion wc) {
    if (at.reliable()) {
      Request r = at.peer.toArrive.poll();
      if (r == null) {
        throw new SimFailure(at + ": a message arrived that no endpoint sent: " + wc);
      }
      return r;
    }
    long tag =
        wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM
            ? wc.immData()
            : in.get(ValueLayout.JAVA_LONG_UNALIGNED, wc.wrId() * slotBytes + grh);
    boolean twice = at.link.profile.disorders();
    if (at.link.type == QpType.UD && Group.isTag(tag)) {
      return at.sim.group.receive(at, tag, twice);
    }
    Request r = at.peer.flying.get(tag);
    if (r == null) {
      throw new SimFailure(at + ": a message arrived that no endpoint sent: " + tag);
    }
    if (r.delivered && !twice) {
      throw new SimFailure(at + ": " + r + " arrived twice");
    }
    return r;
  }
}
