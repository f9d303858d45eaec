package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.engine.link.Refusals;
import ib.engine.mr.Key;
import ib.engine.mr.KeyTable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A memory region: an lkey and an rkey in the device's tables, open from the start, or opened and
 * closed by posted requests (fast registration, IBA 10.6.4).
 */
public final class SoftMr extends MemoryRegion {
  private static final long PAGE = 4096;
  private static final int SUPPORTED =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.MW_BIND
          | Access.ZERO_BASED
          | Access.FLUSH_GLOBAL
          | Access.RELAXED_ORDERING;

  /**
   * The memory of a fast registration, with its addresses and the addresses of a zero-based one.
   */
  private record Mapping(MemorySegment[] segments, long[] starts, long[] zeroBased) {
    static Mapping of(MemorySegment[] segments, long iova) {
      long[] starts = new long[segments.length + 1];
      long[] zeroBased = new long[segments.length + 1];
      for (int i = 0; i < segments.length; i++) {
        zeroBased[i + 1] = zeroBased[i] + segments[i].byteSize();
      }
      for (int i = 0; i < starts.length; i++) {
        starts[i] = iova + zeroBased[i];
      }
      return new Mapping(segments, starts, zeroBased);
    }

    long bytes() {
      return zeroBased[segments.length];
    }
  }

  private final SoftPd pd;
  private final HcaCore hca;
  private final int segmentsMost; // of a fast registration, else 0
  private final long base; // of a fast registration: random, since mapping waits for nothing (S10)
  private final AtomicInteger windows = new AtomicInteger();
  private volatile Key local;
  private volatile Key remote;
  private volatile @Nullable Mapping mapping;
  private volatile int access;

  SoftMr(ObjectControl control, SoftPd pd, MemorySegment segment, int access) {
    super(control);
    this.pd = pd;
    this.hca = pd.hca();
    this.segmentsMost = 0;
    this.base = 0;
    check(segment, access);
    this.local = enter(hca.lkeys());
    this.remote = enter(hca.rkeys());
    open(segment, access);
  }

  SoftMr(ObjectControl control, SoftPd pd, int segmentsMost) {
    super(control);
    this.pd = pd;
    this.hca = pd.hca();
    this.segmentsMost = segmentsMost;
    this.base = hca.keyNumbers().address();
    this.local = enter(hca.lkeys());
    this.remote = enter(hca.rkeys());
  }

  private void check(MemorySegment segment, int rights) {
    if ((rights & ~SUPPORTED) != 0) {
      throw new IbNotSupportedException(
          "registerMemory",
          "access 0x" + Integer.toHexString(rights & ~SUPPORTED) + " is not offered",
          "IbDevice.has(Cap.FLUSH_PERSISTENT)");
    }
    if (segment.isReadOnly() && (rights & Access.LOCAL_WRITE) != 0) {
      throw new IbInvalidException("registerMemory", "the segment is read-only", "no write access");
    }
    if (segment.byteSize() > hca.config().limit(Limit.MAX_MR_SIZE)) {
      throw Refusals.range("bytes", segment.byteSize(), 1, hca.config().limit(Limit.MAX_MR_SIZE));
    }
  }

  /** Aligns a random address like the memory itself, since atomics ask for that (D9). */
  private static long iova(long random, MemorySegment segment) {
    return random | segment.address() & (PAGE - 1);
  }

  private Key enter(KeyTable table) {
    Key key = new Key(hca.keyNumbers().next(), pd.domain(), this, fast());
    table.put(key);
    return key;
  }

  private void open(MemorySegment segment, int rights) {
    boolean zero = (rights & Access.ZERO_BASED) != 0;
    Mapping m =
        Mapping.of(
            new MemorySegment[] {segment}, zero ? 0 : iova(hca.keyNumbers().address(), segment));
    mapping = m;
    access = rights;
    for (Key key : List.of(local, remote)) {
      key.open(key.begin(false), key.number(), m.segments, m.starts, rights);
    }
  }

  private void withdraw(Key l, Key r) {
    l.revoke();
    r.revoke();
    hca.lkeys().remove(l);
    hca.rkeys().remove(r);
    pd.fence(l, r); // then no copy is in progress; if it throws, memory and keys stay
    hca.keyNumbers().retire(l.number());
    hca.keyNumbers().retire(r.number());
  }

  // ---- fast registration: for the holder of the claim of the queue pair that was asked ----

  /** Whether it is one of a device. */
  boolean isOf(HcaCore device) {
    return hca.equals(device);
  }

  /** {@return whether it is registered by posted requests} */
  boolean fast() {
    return segmentsMost > 0;
  }

  /** REG_MR; returns whether it was allowed (IBA 10.6.4.3: the region must be free). */
  public boolean register(QpCore qp, int number, int rights) {
    Mapping m = mapping;
    boolean writes = (rights & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
    if (!fast()
        || m == null
        || pd.domain() != qp.domain
        || number >>> 8 != remote.index()
        || (rights & ~SUPPORTED) != 0
        || (writes && (rights & Access.LOCAL_WRITE) == 0)) {
      return false;
    }
    long begun = remote.begin(false);
    if (begun == Key.REFUSED) {
      return false;
    }
    long localBegun = local.begin(false);
    if (localBegun == Key.REFUSED) {
      remote.close(begun, remote.number());
      return false;
    }
    long[] starts = (rights & Access.ZERO_BASED) != 0 ? m.zeroBased : m.starts;
    access = rights;
    local.open(localBegun, local.number(), m.segments, starts, rights);
    remote.open(begun, number, m.segments, starts, rights);
    return true;
  }

  /** LOCAL_INV or SEND_WITH_INV of its rkey; returns whether it was allowed. */
  boolean invalidate(boolean mustBeRegistered) {
    if (!fast() || windows.get() > 0) {
      return false; // IBA 10.6.5: not while windows are bound
    }
    long begun = remote.begin(true);
    if (begun == Key.REFUSED) {
      return !mustBeRegistered;
    }
    long localBegun = local.begin(true);
    if (localBegun != Key.REFUSED) {
      local.close(localBegun, local.number());
    }
    remote.close(begun, remote.number());
    return true;
  }

  /** Whether no copy through this region is in progress; call it after invalidating the key. */
  boolean settled() {
    return local.idle() && remote.idle();
  }

  // ---- windows ----

  /** {@return the key that windows are bound to} */
  Key remote() {
    return remote;
  }

  void bound() {
    windows.getAndIncrement();
  }

  void unbound() {
    windows.getAndDecrement();
  }

  // ---- the user's view ----

  @Override
  public List<String> pins() {
    int n = windows.get();
    return n == 0 ? List.of() : List.of(n + " memory windows");
  }

  @Override
  public int lkey() {
    return local.number();
  }

  @Override
  public int rkey() {
    return remote.number();
  }

  @Override
  public long iova() {
    Mapping m = mapping;
    return m == null || (access & Access.ZERO_BASED) != 0 ? 0 : m.starts[0];
  }

  @Override
  public long length() {
    Mapping m = mapping;
    return m == null ? 0 : m.bytes();
  }

  @Override
  public int access() {
    return access;
  }

  @Override
  public MemorySegment segment() {
    Mapping m = mapping;
    return m == null ? MemorySegment.NULL : m.segments[0];
  }

  @Override
  protected void doMap(MemorySegment[] segments) {
    if (!fast()) {
      super.doMap(segments);
    }
    if (segments.length < 1 || segments.length > segmentsMost) {
      throw Refusals.range("segments", segments.length, 1, segmentsMost);
    }
    mapping = Mapping.of(segments, iova(base, segments[0]));
    access = 0;
  }

  @Override
  protected synchronized void doReregister(MemorySegment segment, int rights) {
    if (fast()) {
      throw new IbInvalidException(
          this + ".reregister", "it is a fast registration", "post LOCAL_INV and REG_MR");
    }
    if (windows.get() > 0) {
      throw new IbBusyException(this + ".reregister", pins());
    }
    check(segment, rights);
    Key oldLocal = local;
    Key oldRemote = remote;
    local = enter(hca.lkeys());
    remote = enter(hca.rkeys());
    open(segment, rights);
    withdraw(oldLocal, oldRemote);
  }

  @Override
  protected void doDestroy() {
    try {
      withdraw(local, remote);
    } finally {
      hca.discount(Limit.MAX_MR);
    }
  }
}
