package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * One end of a link: its queue pair and memory, and the model of what it receives and what
 * completes. Every completion is held against the model.
 */
final class Endpoint {
  static final byte EMPTY = 0x5A;
  private static final int GRH = 40;
  private static final int BEHIND = 64;

  final Sim sim;
  final Node node;
  final Link link;
  final QueuePair qp;
  final Poster poster;
  final Region tx;
  final Region rx;
  final Region target;
  final Region source;
  final Region back;
  final Region forbidden;
  final int sourceOffset;
  final boolean sharesReceives;
  final ArrayDeque<Request> outstanding = new ArrayDeque<>();
  final ArrayDeque<Request> toArrive = new ArrayDeque<>(); // receivable messages that we sent
  final Map<Long, Request> flying = new HashMap<>(); // the same, unreliable
  final Request[] written; // what our peer has written into each slot of our target
  private final ArrayDeque<Integer> receives = new ArrayDeque<>();
  private final RecvWr recvWr = new RecvWr(2);
  private int receiveSlot;
  Endpoint peer;
  boolean failed;
  boolean lost; // receives of ours may be gone without a completion: the queue pair was reset

  Endpoint(Sim sim, Node node, Link link, String name) {
    this.sim = sim;
    this.node = node;
    this.link = link;
    long room = (long) link.depth * link.sizeMost;
    boolean oneSided = link.type != QpType.UD;
    this.tx = node.region(name + " tx", room, 0);
    this.rx = node.region(name + " rx", (long) link.depth * receiveBytes(), Access.LOCAL_WRITE);
    long far = oneSided ? room : link.depth;
    this.target = node.region(name + " target", far, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    this.source = node.region(name + " source", oneSided ? link.sizeMost : 1, Access.REMOTE_READ);
    this.back = node.region(name + " back", far, Access.LOCAL_WRITE);
    this.forbidden = node.region(name + " forbidden", link.sizeMost, Access.LOCAL_WRITE);
    forbidden.fillAll(EMPTY);
    this.sourceOffset = Pattern.offset(sim.random, (int) source.bytes.byteSize());
    Pattern.write(source.bytes, 0, sourceOffset, (int) source.bytes.byteSize());
    this.written = new Request[link.depth];
    this.sharesReceives =
        link.type != QpType.UD
            && link.sizeMost <= node.shared.slotBytes
            && sim.random.nextInt(4) == 0;
    int sges = link.sges;
    QpInit init =
        new QpInit(link.type, node.sendCq, new QpCap(link.depth, link.depth, sges, 2, 64))
            .withRecvCq(node.recvCq);
    this.qp = node.pd.createQp(sharesReceives ? init.withSrq(node.srq) : init);
    node.endpoints.put(qp.qpn(), this);
    this.poster = new Poster(this);
  }

  private int receiveBytes() {
    return link.sizeMost + (link.type == QpType.UD ? GRH : 0);
  }

  boolean reliable() {
    return link.type == QpType.RC;
  }

  // ---- receives ----

  /** Posts receives until there are so many; returns how many were posted. */
  int receive(int most) {
    if (sharesReceives) {
      return node.shared.post(most);
    }
    int n = 0;
    for (; n < most && receives.size() < link.depth; n++) {
      int slot = receiveSlot++ % link.depth;
      int length = receiveBytes();
      long at = (long) slot * length;
      rx.bytes.asSlice(at, length).fill(EMPTY);
      int cut = sim.random.nextInt(length + 1);
      recvWr.wrId(slot).clearSges();
      recvWr.addSge(rx.mr.lkey(), rx.mr.iova() + at, cut);
      recvWr.addSge(rx.mr.lkey(), rx.mr.iova() + at + cut, length - cut);
      int result = qp.postReceive(recvWr);
      if (result != PostStatus.OK) {
        throw new SimFailure(this + ": postReceive returns " + result);
      }
      receives.add(slot);
    }
    return n;
  }

  boolean receivesLeft() {
    return !receives.isEmpty();
  }

  int receiveCount() {
    return sharesReceives ? node.shared.count() : receives.size();
  }

  void received(WorkCompletion wc) {
    if (sharesReceives) {
      node.shared.done(wc.wrId());
    } else {
      Integer slot = receives.poll();
      if (slot == null || slot != wc.wrId()) {
        throw new SimFailure(this + ": receive " + wc.wrId() + " completed, next is " + slot);
      }
    }
    if (wc.status() == WcStatus.WR_FLUSH_ERR && link.down()) {
      return;
    }
    if (wc.status() != WcStatus.SUCCESS) {
      throw new SimFailure(this + ": a receive completed with " + wc.status());
    }
    Request r = message(wc);
    boolean write = r.op == Request.Op.WRITE_IMM;
    if (wc.opcode() != (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV)) {
      throw new SimFailure(this + ": " + r + " arrived as " + wc.opcode());
    }
    int grh = link.type == QpType.UD ? GRH : 0;
    if (wc.byteLen() != r.length + grh) {
      throw new SimFailure(this + ": " + r + " arrived with " + wc.byteLen() + " bytes");
    }
    boolean imm = (wc.wcFlags() & WcFlags.WITH_IMM) != 0;
    if (imm != r.op.hasImm() || (imm && wc.immData() != r.imm)) {
      throw new SimFailure(this + ": " + r + " arrived with other immediate data");
    }
    if (!write) {
      checkReceived(wc, r, grh);
    } else if (reliable()) {
      checkWritten(r);
    }
    r.delivered = true;
    sim.delivered(r);
  }

  private void checkReceived(WorkCompletion wc, Request r, int grh) {
    MemorySegment in = sharesReceives ? node.shared.region.bytes : rx.bytes;
    int slotBytes = sharesReceives ? node.shared.slotBytes : receiveBytes();
    long at = wc.wrId() * slotBytes;
    long wrong = Pattern.mismatch(in, at + grh, r);
    if (wrong >= 0) {
      throw new SimFailure(this + ": " + r + " arrived with wrong bytes from " + wrong);
    }
    if (link.type == QpType.UC) {
      return; // there may be bytes of an earlier message that did not come whole (IBA 9.8.2.2.1)
    }
    int behind = Math.min(BEHIND, slotBytes - grh - r.length);
    if (!Region.isFilled(in, at + grh + r.length, behind, EMPTY)) {
      throw new SimFailure(this + ": behind " + r + " the receive buffer was written");
    }
  }

  /** Which message this is: the next one, or on an unreliable service the one that it says. */
  private Request message(WorkCompletion wc) {
    if (reliable()) {
      Request r = peer.toArrive.poll();
      if (r == null) {
        throw new SimFailure(this + ": a message arrived that nobody sent: " + wc);
      }
      return r;
    }
    long id;
    if (wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM) {
      id = wc.immData();
    } else {
      int grh = link.type == QpType.UD ? GRH : 0;
      long slotBytes = sharesReceives ? node.shared.slotBytes : receiveBytes();
      MemorySegment in = sharesReceives ? node.shared.region.bytes : rx.bytes;
      id = in.get(ValueLayout.JAVA_LONG_UNALIGNED, wc.wrId() * slotBytes + grh);
    }
    Request r = peer.flying.get(id);
    if (r == null) {
      throw new SimFailure(this + ": a message arrived that nobody sent: " + id);
    }
    if (r.delivered && !link.profile.disorders()) {
      throw new SimFailure(this + ": " + r + " arrived twice");
    }
    return r;
  }

  // ---- writes ----

  /** What the peer has written to our memory. */
  void checkWritten(Request r) {
    long wrong = Pattern.mismatch(target.bytes, (long) r.slot * link.sizeMost, r);
    if (wrong >= 0) {
      throw new SimFailure(this + ": " + r + " was written with wrong bytes from " + wrong);
    }
  }

  /** Whether what was written before is still there, before it is written again and at the end. */
  void checkSlot(int slot) {
    Request r = written[slot];
    if (r != null) {
      checkWritten(r);
    }
  }

  // ---- send completions ----

  void sent(WorkCompletion wc) {
    for (; ; ) {
      Request r = outstanding.poll();
      if (r == null) {
        throw new SimFailure(this + ": " + wc + " completes nothing that is outstanding");
      }
      if (r.id == wc.wrId()) {
        completed(r, wc);
        return;
      }
      if (r.signaled || failed) {
        throw new SimFailure(this + ": " + r + " did not complete before " + wc.wrId());
      }
      succeeded(r);
    }
  }

  private void completed(Request r, WorkCompletion wc) {
    WcStatus status = wc.status();
    if (status == WcStatus.SUCCESS) {
      if (failed || !r.signaled) {
        throw new SimFailure(
            this + ": " + r + " completed " + (failed ? "after an error" : "unasked"));
      }
      if (r.op == Request.Op.READ && wc.byteLen() != r.length) {
        throw new SimFailure(this + ": " + r + " completed with " + wc.byteLen() + " bytes");
      }
      succeeded(r);
    } else if (status == WcStatus.WR_FLUSH_ERR) {
      if (!failed && !link.down()) {
        throw new SimFailure(this + ": " + r + " was flushed for no reason");
      }
      failed = true;
    } else {
      if (failed || !link.explains(this, r, status)) {
        throw new SimFailure(
            this + ": " + r + " completed with " + status + "; " + link.describe());
      }
      failed = true;
      sim.failures++;
    }
    if (r.op.writes() && status != WcStatus.SUCCESS) {
      peer.written[r.slot] = null; // perhaps in part
    }
  }

  private void succeeded(Request r) {
    if (r.bad) {
      throw new SimFailure(this + ": " + r + " succeeded");
    }
    if (reliable()) {
      if (r.op.arrives() && !r.delivered) {
        throw new SimFailure(this + ": " + r + " completed and has not arrived");
      }
      if (r.op.writes()) {
        peer.checkWritten(r);
        peer.written[r.slot] = r;
      }
    }
    if (r.op == Request.Op.READ) {
      long wrong = Pattern.mismatch(back.bytes, (long) r.slot * link.sizeMost, r.offset, r.length);
      if (wrong >= 0) {
        throw new SimFailure(this + ": " + r + " completed with wrong bytes from " + wrong);
      }
      sim.delivered(r);
    } else if (r.op == Request.Op.WRITE && reliable()) {
      sim.delivered(r);
    }
    link.consumed(this, r);
  }

  // ---- the end of a life ----

  /** All is flushed: what is left has succeeded before, without a completion. */
  void silent() {
    if (outstanding.stream().noneMatch(r -> r.signaled || r.bad)) {
      for (Request r = outstanding.poll(); r != null; r = outstanding.poll()) {
        succeeded(r);
      }
    }
  }

  /** The queue pair was reset: nothing that was posted completes any more (IBA 10.3.1.2). */
  void forget() {
    for (Request r : outstanding) {
      if (r.op.writes()) {
        peer.written[r.slot] = null;
      }
    }
    outstanding.clear();
    receives.clear();
  }

  void renew() {
    toArrive.clear();
    flying.clear();
    failed = false;
  }

  void checkMemory() {
    for (int i = 0; i < written.length; i++) {
      checkSlot(i);
    }
    if (Pattern.mismatch(source.bytes, 0, sourceOffset, (int) source.bytes.byteSize()) >= 0) {
      throw new SimFailure(this + ": memory that may only be read was written");
    }
    if (!Region.isFilled(forbidden.bytes, 0, (int) forbidden.bytes.byteSize(), EMPTY)) {
      throw new SimFailure(this + ": memory without remote rights was written");
    }
  }

  /** What it waits for. */
  String describe() {
    return String.format(
        "%s in %s with %d requests from %s, %d receives",
        this, qp.state(), outstanding.size(), outstanding.peek(), receiveCount());
  }

  @Override
  public String toString() {
    return link.type + " queue pair " + qp.qpn() + " of node " + node.lid;
  }
}
