package ib.engine.sim;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Flush;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes up send requests and posts them. */
final class Poster {
  static final int MAX_INLINE = 64;
  private static final int MAX_UNSIGNALED = 3;
  static final int QKEY = 0x1b1b;

  private final Endpoint from;
  private final Link link;
  private final SplittableRandom random;
  private final Requests requests;
  private final Violations violations;
  private final @Nullable AddressHandle ah;
  private final @Nullable AddressHandle everybody;
  private int unsignaled;

  Poster(Endpoint from) {
    this.from = from;
    this.link = from.link;
    this.random = from.sim.random;
    this.requests = new Requests(from);
    this.violations = new Violations(from);
    AhAttr group =
        AhAttr.ofLid(1, from.sim.group.mlid(), 0, GlobalRoute.to(from.sim.group.gid(), 0));
    this.everybody = link.type == QpType.UD ? from.node.pd.createAh(group) : null;
    this.ah =
        link.type == QpType.UD
            ? from.node.pd.createAh(AhAttr.ofLid(1, link.otherNode(from.node).lid, 0))
            : null;
  }

  long posted() {
    return requests.made();
  }

  void close() {
    if (ah != null) {
      ah.close();
    }
    if (everybody != null) {
      everybody.close();
    }
  }

  /** Posts up to so many requests in one batch; returns how many. */
  int post(int most) {
    int n = (int) Math.min(most, from.operations - posted());
    n = Math.min(n, link.depth - from.outstanding.size());
    if (n <= 0) {
      return 0;
    }
    QueuePair qp = from.qp;
    qp.wrStart();
    for (int i = 0; i < n; i++) {
      build(qp);
    }
    int result = qp.wrComplete();
    if (result != PostStatus.OK) {
      throw new SimFailure(from + ": a post of " + n + " returns " + result);
    }
    return n;
  }

  private void build(QueuePair qp) {
    Request r = requests.next();
    boolean last = r.id == from.operations;
    r.signaled =
        random.nextInt(4) != 0
            || unsignaled >= Math.min(MAX_UNSIGNALED, link.depth - 1)
            || r.op.isLocal()
            || last;
    unsignaled = r.signaled ? 0 : unsignaled + 1;
    int flags = r.signaled ? SendFlags.SIGNALED : 0;
    flags |= random.nextInt(8) == 0 ? SendFlags.SOLICITED : 0;
    flags |= from.reliable() && random.nextInt(8) == 0 ? SendFlags.FENCE : 0;
    qp.wrId(r.id).wrFlags(flags);
    if (r.bad) {
      violations.post(qp, r);
    } else {
      begin(qp, r);
    }
    payload(qp, r, (long) r.slot * link.sizeMost);
    if (!r.bad) {
      remember(r);
    }
    from.outstanding.add(r);
  }

  private void begin(QueuePair qp, Request r) {
    Endpoint peer = from.peer;
    long slot = (long) r.slot * link.sizeMost;
    switch (r.op) {
      case SEND -> qp.wrSend();
      case SEND_IMM -> qp.wrSendImm(r.imm);
      case SEND_INV -> {
        Grant g = Objects.requireNonNull(r.grant);
        g.revoke();
        qp.wrSendInv(g.key);
      }
      case WRITE -> qp.wrRdmaWrite(key(r, peer.target, slot), address(r, peer.target, slot));
      case WRITE_IMM ->
          qp.wrRdmaWriteImm(key(r, peer.target, slot), address(r, peer.target, slot), r.imm);
      case READ -> {
        long at = (long) r.offset - peer.sourceOffset;
        qp.wrRdmaRead(key(r, peer.source, at), address(r, peer.source, at));
      }
      case ATOMIC_WRITE -> {
        int key = key(r, peer.target, slot);
        qp.wrAtomicWrite(key, address(r, peer.target, slot), Pattern.word(r.offset));
      }
      case FLUSH -> {
        int key = key(r, peer.target, slot);
        int level = random.nextBoolean() ? Flush.RANGE : Flush.MR;
        qp.wrFlush(key, address(r, peer.target, slot), r.length, Flush.GLOBAL, level);
      }
      case FETCH_ADD, COMPARE_SWAP -> atomic(qp, r, peer.node.words);
      case REGISTER, BIND, INVALIDATE -> Objects.requireNonNull(r.grant).post(qp, r);
    }
    if (link.type == QpType.UD) {
      boolean all = Group.isTag(r.tag);
      qp.wrSetUdAddress(all ? everybody : ah, all ? Group.QPN : peer.qp.qpn(), QKEY);
    }
  }

  private void atomic(QueuePair qp, Request r, Words words) {
    int rkey = words.region.mr.rkey();
    Word w = Objects.requireNonNull(r.word);
    long address = words.region.mr.iova() + Words.address(w);
    w.plan(r, random.nextLong(), random.nextInt(4) == 0);
    if (r.op == Request.Op.FETCH_ADD) {
      qp.wrAtomicFetchAdd(rkey, address, r.operand);
    } else {
      qp.wrAtomicCmpSwp(rkey, address, r.compare, r.operand);
    }
  }

  /** The key of a region, or one of those that posted requests have opened on it. */
  private int key(Request r, Region where, long at) {
    for (Grant g : from.peer.grants) {
      if (r.grant == null && g.opens(where, at, r.length) && random.nextBoolean()) {
        r.grant = g;
        g.uses++;
      }
    }
    return r.grant == null ? where.mr.rkey() : r.grant.key;
  }

  private static long address(Request r, Region where, long at) {
    return r.grant == null ? where.mr.iova() + at : r.grant.address(at);
  }

  private void remember(Request r) {
    if (r.op.writes()) {
      from.peer.checkSlot(r.slot);
      from.peer.written[r.slot] = null;
    }
    if (r.op.arrives()) {
      if (from.reliable()) {
        from.toArrive.add(r);
      } else if (!Group.isTag(r.tag)) {
        from.flying.put(r.op == Request.Op.WRITE_IMM ? (long) r.imm : r.id, r);
      }
    }
  }

  private void payload(QueuePair qp, Request r, long slot) {
    switch (r.op) {
      case ATOMIC_WRITE, FLUSH, REGISTER, BIND, INVALIDATE -> {
        return; // no data
      }
      case READ, FETCH_ADD, COMPARE_SWAP -> {
        elements(qp, from.back, slot, r.length);
        return;
      }
      default -> Pattern.write(from.tx.bytes, slot, r);
    }
    if (r.length <= MAX_INLINE && random.nextInt(3) == 0) {
      qp.wrSetInline(from.tx.bytes, slot, r.length);
      from.tx.bytes.asSlice(slot, r.length).fill(Endpoint.EMPTY); // inline: free at once
    } else {
      elements(qp, from.tx, slot, r.length);
    }
  }

  private void elements(QueuePair qp, Region region, long at, int length) {
    int count = 1 + random.nextInt(link.sges);
    int lkey = region.mr.lkey();
    long address = region.mr.iova() + at;
    int left = length;
    for (int i = 0; i < count; i++) {
      int n = i == count - 1 ? left : random.nextInt(left + 1);
      if (i == 0) {
        qp.wrSetSge(lkey, address, n);
      } else {
        qp.wrAddSge(lkey, address, n);
      }
      address += n;
      left -= n;
    }
  }
}
