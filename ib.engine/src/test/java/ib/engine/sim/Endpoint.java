package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.verbs.Probe;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One end of a link: its queue pair and memory, and the model of what it receives and what
 * completes. Every completion is held against the model.
 */
final class Endpoint {
  static final byte EMPTY = 0x5A;
  private static final int TARGET =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.MW_BIND | Access.FLUSH_GLOBAL;
  private static final int SOURCE = Access.REMOTE_READ | Access.MW_BIND;

  final Sim sim;
  final Node node;
  final Link link;
  final QueuePair qp;
  final Poster poster;
  final Region tx;
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
  final Receives receives;
  final int operations;
  Endpoint peer;
  final Grant[] grants; // on our memory, for our peer
  boolean failed;

  Endpoint(Sim sim, Node node, Link link, String name) {
    this.sim = sim;
    this.node = node;
    this.link = link;
    this.operations = link.profile == Profile.LAP && name.equals("b") ? 0 : link.profile.operations;
    long room = (long) link.depth * link.sizeMost;
    boolean oneSided = link.type != QpType.UD;
    this.tx = node.region(name + " tx", room, 0);
    long far = oneSided ? room : link.depth;
    this.target = node.region(name + " target", far, TARGET);
    this.source = node.region(name + " source", oneSided ? link.sizeMost : 1, SOURCE);
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
    this.receives = new Receives(this, name);
    int sges = link.sges;
    QpInit init =
        new QpInit(link.type, node.sendCq, new QpCap(link.depth, link.depth, sges, 2, 64))
            .withRecvCq(node.recvCq);
    this.qp = node.pd.createQp(sharesReceives ? init.withSrq(node.srq) : init);
    node.endpoints.put(qp.qpn(), this);
    boolean opens = link.type == QpType.RC && !link.profile.bulk();
    this.grants =
        Arrays.stream(Grant.Kind.values())
            .filter(k -> opens)
            .map(k -> new Grant(this, k))
            .toArray(Grant[]::new);
    this.poster = new Poster(this);
  }

  boolean reliable() {
    return link.type == QpType.RC;
  }

  // ---- writes ----

  /** Checks the data that the peer has written to this endpoint's memory. */
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
      boolean bytes = r.op == Request.Op.READ || r.op.isAtomic();
      if (wc.opcode() != r.op.completed || (bytes && wc.byteLen() != r.length)) {
        throw new SimFailure(this + ": " + r + " completed as " + wc);
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
    if (status != WcStatus.SUCCESS) {
      undone(r, status);
    }
  }

  /** Notes that a failed request may have been executed, in whole, in part, or not at all. */
  private void undone(Request r, WcStatus status) {
    if (r.op.writes() && !r.bad) {
      peer.written[r.slot] = null;
    }
    if (r.word != null) {
      r.outcome = Request.Outcome.UNKNOWN;
    }
    if (status != WcStatus.WR_FLUSH_ERR) {
      sim.did(status + (r.bad ? " for what is forbidden" : r.risky ? " for lack of a key" : ""));
    }
    over(r);
  }

  private void over(Request r) {
    Grant g = r.grant;
    if (g != null && g.owner.equals(peer) && r.op != Request.Op.SEND_INV) {
      g.over(r);
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
    Word w = r.word;
    Grant g = r.grant;
    if (w != null) {
      long at = (long) r.slot * link.sizeMost;
      w.done(r, back.bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    } else if (r.op.isLocal() && g != null) {
      g.changed(r.op != Request.Op.INVALIDATE);
    }
    if (r.op == Request.Op.READ) {
      long wrong = Pattern.mismatch(back.bytes, (long) r.slot * link.sizeMost, r.offset, r.length);
      if (wrong >= 0) {
        throw new SimFailure(this + ": " + r + " completed with wrong bytes from " + wrong);
      }
      sim.delivered(r);
    } else if ((r.op == Request.Op.WRITE && reliable()) || w != null) {
      sim.delivered(r);
    }
    over(r);
    sim.did(r.op + (g == null || r.op.isLocal() ? "" : " through " + g.kind));
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
    outstanding.forEach(r -> undone(r, WcStatus.WR_FLUSH_ERR));
    outstanding.clear();
    receives.forget();
  }

  void renew() {
    toArrive.clear();
    flying.clear();
    failed = false;
    for (Grant g : grants) {
      g.renew();
    }
  }

  void close() {
    qp.close();
    poster.close();
    for (Grant g : grants) {
      g.close();
    }
    checkMemory();
  }

  /** All is flushed and polled. */
  void checkRings() {
    if (!Probe.even(qp)) {
      throw new SimFailure(this + ": slots not free as they should be: " + Probe.rings(qp));
    }
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

  /** {@return what the endpoint waits for} */
  String describe() {
    return String.format(
        "%s in %s with %d requests from %s, %d receives",
        this, qp.state(), outstanding.size(), outstanding.peek(), receives.count());
  }

  @Override
  public String toString() {
    return link.type + " queue pair " + qp.qpn() + " of node " + node.lid;
  }
}
