package ib.engine.sim;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes up send requests and posts them. */
final class Poster {
  private static final int INLINE_MOST = 64;
  private static final int UNSIGNALED_MOST = 3;
  private static final Request.Op[] ALL = Request.Op.values();
  static final int QKEY = 0x1b1b;

  private final Endpoint from;
  private final Link link;
  private final SplittableRandom random;
  private final @Nullable AddressHandle ah;
  private long ids;
  private int unsignaled;

  Poster(Endpoint from) {
    this.from = from;
    this.link = from.link;
    this.random = from.sim.random;
    this.ah =
        link.type == QpType.UD
            ? from.node.pd.createAh(AhAttr.ofLid(1, link.otherNode(from.node).lid, 0))
            : null;
  }

  long posted() {
    return ids;
  }

  void close() {
    if (ah != null) {
      ah.close();
    }
  }

  /** Posts up to so many requests in one batch; returns how many. */
  int post(int most) {
    int n = (int) Math.min(most, link.operations - ids);
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
    Request r = request();
    boolean done = ids == link.operations;
    r.signaled =
        random.nextInt(4) != 0 || unsignaled >= Math.min(UNSIGNALED_MOST, link.depth - 1) || done;
    unsignaled = r.signaled ? 0 : unsignaled + 1;
    int flags = r.signaled ? SendFlags.SIGNALED : 0;
    flags |= random.nextInt(8) == 0 ? SendFlags.SOLICITED : 0;
    flags |= from.reliable() && random.nextInt(8) == 0 ? SendFlags.FENCE : 0;
    qp.wrId(r.id).wrFlags(flags);
    long slot = (long) r.slot * link.sizeMost;
    Endpoint peer = from.peer;
    switch (r.op) {
      case SEND -> qp.wrSend();
      case SEND_IMM -> qp.wrSendImm(r.imm);
      case WRITE -> qp.wrRdmaWrite(peer.target.mr.rkey(), peer.target.mr.iova() + slot);
      case WRITE_IMM ->
          qp.wrRdmaWriteImm(peer.target.mr.rkey(), peer.target.mr.iova() + slot, r.imm);
      case READ -> {
        int at = r.offset - peer.sourceOffset;
        if (r.bad) {
          forbiddenRead(qp, peer);
        } else {
          qp.wrRdmaRead(peer.source.mr.rkey(), peer.source.mr.iova() + at);
        }
      }
    }
    if (ah != null) {
      qp.wrSetUdAddress(ah, peer.qp.qpn(), QKEY);
    }
    payload(qp, r, slot);
    remember(r);
  }

  private void forbiddenRead(QueuePair qp, Endpoint peer) {
    switch (random.nextInt(3)) {
      case 0 -> qp.wrRdmaRead(peer.forbidden.mr.rkey(), peer.forbidden.mr.iova());
      case 1 ->
          qp.wrRdmaRead(peer.source.mr.rkey() ^ 1 << random.nextInt(32), peer.source.mr.iova());
      default ->
          qp.wrRdmaRead(peer.source.mr.rkey(), peer.source.mr.iova() + peer.source.mr.length());
    }
  }

  private void remember(Request r) {
    from.outstanding.add(r);
    if (r.bad) {
      return;
    }
    if (r.op.writes()) {
      from.peer.checkSlot(r.slot);
      from.peer.written[r.slot] = null;
    }
    if (r.op.arrives()) {
      if (from.reliable()) {
        from.toArrive.add(r);
      } else {
        from.flying.put(r.op == Request.Op.WRITE_IMM ? (long) r.imm : r.id, r);
      }
    }
  }

  private Request request() {
    long id = ++ids;
    Request.Op op = operation();
    int length = length();
    int slot = (int) (id % link.depth);
    int offset =
        op == Request.Op.READ
            ? from.peer.sourceOffset + random.nextInt(link.sizeMost - length + 1)
            : Pattern.offset(random, length);
    int imm = from.reliable() ? random.nextInt() : (int) id;
    Request r = new Request(id, op, length, offset, slot, imm);
    r.headed = !from.reliable();
    r.bad = op == Request.Op.READ && length > 0 && link.breaks() && random.nextInt(100) == 0;
    return r;
  }

  private Request.Op operation() {
    return switch (link.type) {
      case RC -> ALL[random.nextInt(ALL.length)];
      case UC -> ALL[random.nextInt(ALL.length - 1)];
      default -> random.nextBoolean() ? Request.Op.SEND : Request.Op.SEND_IMM;
    };
  }

  private int length() {
    int least = from.reliable() ? 0 : Long.BYTES;
    int n =
        switch (random.nextInt(link.profile.bulk() ? 4 : 12)) {
          case 0 -> link.sizeMost;
          case 1 -> random.nextInt(link.sizeMost + 1);
          case 2, 3 ->
              link.profile.bulk()
                  ? link.sizeMost - random.nextInt(4096)
                  : random.nextInt(Math.min(link.sizeMost, 8 * link.mtuBytes()) + 1);
          case 4, 5, 6 -> random.nextInt(Math.min(link.sizeMost, 2 * link.mtuBytes()) + 1);
          case 7 -> Math.min(link.sizeMost, link.mtuBytes() * (1 + random.nextInt(3)));
          case 8 -> 0;
          default -> random.nextInt(INLINE_MOST + 1);
        };
    return Math.max(least, n);
  }

  private void payload(QueuePair qp, Request r, long slot) {
    if (r.op == Request.Op.READ) {
      elements(qp, from.back, slot, r.length);
      return;
    }
    if (r.op.writes() && !r.bad) {
      from.peer.checkSlot(r.slot);
    }
    Pattern.write(from.tx.bytes, slot, r);
    if (r.length <= INLINE_MOST && random.nextInt(3) == 0) {
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
