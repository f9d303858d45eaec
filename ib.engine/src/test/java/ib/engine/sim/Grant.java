package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A key that posted requests open and close on an endpoint's memory, for its peer: after it was
 * closed nothing may happen through it.
 */
final class Grant {
  private static final int MAX_SEGMENTS = 3;

  /** The kind of object that the key belongs to. */
  enum Kind {
    /** A fast registration of what the peer writes. */
    FAST,
    /** A window of type 2 on a part of the same, of this queue pair alone. */
    WINDOW_2,
    /** A window of type 1 on a part of what the peer reads. */
    WINDOW_1
  }

  /** The state of the key, as far as the model knows it. */
  enum State {
    CLOSED,
    CHANGING,
    OPEN
  }

  final Kind kind;
  final Endpoint owner;
  State state = State.CLOSED;
  int key;
  int uses; // requests of the peer that go through it and are not complete
  private final SplittableRandom random;
  private final ProtectionDomain pd;
  private @Nullable MemoryRegion fast;
  private @Nullable MemoryWindow window;
  private int stale; // a key that opens nothing any more
  private int previous; // the key that a bind under way replaces
  private long first; // within the owner's region
  private long length;

  Grant(Endpoint owner, Kind kind) {
    this.owner = owner;
    this.kind = kind;
    this.random = owner.sim.random;
    this.pd = owner.node.pd;
  }

  private Region region() {
    return kind == Kind.WINDOW_1 ? owner.source : owner.target;
  }

  /** Whether its owner can change it now; risky: while the peer uses it. */
  boolean changeable(boolean risky) {
    boolean free = uses == 0 || (risky && kind != Kind.WINDOW_1);
    return state == State.CLOSED || (state == State.OPEN && free);
  }

  /** Whether the peer can close it. */
  boolean revocable() {
    return state == State.OPEN && kind != Kind.WINDOW_1;
  }

  /** How its owner changes it. */
  Request.Op next() {
    if (kind == Kind.WINDOW_1 || state == State.CLOSED) {
      return kind == Kind.FAST ? Request.Op.REGISTER : Request.Op.BIND;
    }
    return Request.Op.INVALIDATE;
  }

  /** Builds the request that {@link #next} named. */
  void post(QueuePair qp, Request r) {
    if (r.op == Request.Op.INVALIDATE) {
      owner.peer.outstanding.forEach(this::takeAway);
      qp.wrLocalInv(key);
    } else if (kind == Kind.FAST) {
      register(qp);
    } else {
      bind(qp);
    }
    state = State.CHANGING;
  }

  private void takeAway(Request r) {
    r.risky |= this.equals(r.grant);
  }

  private void register(QueuePair qp) {
    if (fast == null) {
      fast = pd.allocFastRegistration(MAX_SEGMENTS);
    }
    MemorySegment all = region().bytes;
    long cut = random.nextLong(1, all.byteSize() / Long.BYTES) * Long.BYTES;
    fast.map(all.asSlice(0, cut), all.asSlice(cut));
    first = 0;
    length = all.byteSize();
    key = MemoryRegion.nextKey(fast.rkey());
    qp.wrRegMr(fast, key, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.FLUSH_GLOBAL);
  }

  private void bind(QueuePair qp) {
    boolean one = kind == Kind.WINDOW_1;
    if (window == null) {
      window = pd.allocWindow(one ? MwType.TYPE_1 : MwType.TYPE_2);
    }
    previous = state == State.OPEN ? key : 0;
    MemoryRegion mr = region().mr;
    boolean unbinds = state == State.OPEN && random.nextBoolean();
    first = random.nextBoolean() ? 0 : random.nextLong(mr.length());
    length = unbinds ? 0 : random.nextLong(1, mr.length() - first + 1);
    key = MemoryRegion.nextKey(window.rkey());
    if (unbinds) {
      qp.wrBindMw(window, key, null, 0, 0, 0);
    } else {
      int access = one ? Access.REMOTE_READ : Access.REMOTE_WRITE | Access.FLUSH_GLOBAL;
      qp.wrBindMw(window, key, mr, mr.iova() + first, length, access);
    }
  }

  /** The request that changes it has completed, or the peer's invalidation has arrived. */
  void changed(boolean opened) {
    boolean open = opened && length > 0;
    state = open ? State.OPEN : State.CLOSED;
    if (previous != 0) {
      stale = previous;
      previous = 0;
    }
    if (!open) {
      stale = key;
      owner.peer.outstanding.forEach(this::remember);
    }
  }

  private void remember(Request r) {
    if (r.risky && this.equals(r.grant) && r.op.writes()) {
      r.snapshot = written(r);
    }
  }

  private byte[] written(Request r) {
    long at = (long) r.slot * owner.link.sizeMost;
    return owner.target.bytes.asSlice(at, r.length).toArray(ValueLayout.JAVA_BYTE);
  }

  /** The peer's invalidation was posted. */
  void revoke() {
    state = State.CHANGING;
  }

  /** A request through it is over: since the key was taken away it may have written nothing. */
  void over(Request r) {
    uses--;
    if (r.snapshot != null && !Arrays.equals(r.snapshot, written(r))) {
      throw new SimFailure(owner + ": " + r + " wrote through " + this + " after it was closed");
    }
  }

  /** Whether the peer may reach so many bytes at a place of the region. */
  boolean opens(Region where, long at, long bytes) {
    return state == State.OPEN
        && region().equals(where)
        && at >= first
        && bytes <= first + length - at;
  }

  /** Address of a byte of the region. */
  long address(long at) {
    return fast != null ? fast.iova() + at : region().mr.iova() + at;
  }

  /** A key that opened something once and opens nothing now, or 0. */
  int dead() {
    return state == State.CLOSED || stale != key ? stale : 0;
  }

  /** How many bytes it opens. */
  long length() {
    return length;
  }

  /** The first byte behind what it opens. */
  long end() {
    return address(first + length);
  }

  /** Forgets a key that is not known to be closed, because its queue pair was destroyed. */
  void renew() {
    uses = 0;
    if (state != State.CLOSED) {
      stale = key;
      close();
    }
  }

  void close() {
    state = State.CLOSED;
    if (window != null) {
      window.close();
      window = null;
    }
    if (fast != null) {
      fast.close();
      fast = null;
    }
  }

  @Override
  public String toString() {
    return String.format("%s with key %08x of %s", kind, key, owner);
  }
}
