package ib.engine.mr;

import ib.core.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a region opens by an lkey and an rkey, from the start, or when posted requests
 * open and close them (fast registration, IBA 10.6.4). Only the thread that holds the claim of the
 * queue pair that was asked registers and invalidates; the control path does the rest, one thread
 * at a time.
 */
public final class Region {
  /** The rights that may be asked for. */
  public static final int RIGHTS =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.MW_BIND
          | Access.ZERO_BASED
          | Access.FLUSH_GLOBAL
          | Access.RELAXED_ORDERING;

  private static final long PAGE = 4096;

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

  private final int domain;
  private final int segmentsMost;
  private final long base; // of a fast registration: random, since mapping waits for nothing (S10)
  private final AtomicInteger windows = new AtomicInteger();
  private volatile Key local;
  private volatile Key remote;
  private volatile @Nullable Mapping mapping;
  private volatile int access;

  /**
   * Makes one that opens nothing.
   *
   * @param domain number of its protection domain
   * @param segmentsMost of a fast registration, else 0
   * @param base of a fast registration: a random address
   * @param lkey its key for local accesses
   * @param rkey its key for accesses of the peer
   */
  public Region(int domain, int segmentsMost, long base, int lkey, int rkey) {
    this.domain = domain;
    this.segmentsMost = segmentsMost;
    this.base = base;
    this.local = key(lkey);
    this.remote = key(rkey);
  }

  private Key key(int number) {
    return new Key(number, domain, this, fast());
  }

  /** Has new keys from now on, which open nothing yet. */
  public void renumber(int lkey, int rkey) {
    local = key(lkey);
    remote = key(rkey);
  }

  /** Aligns a random address like the memory itself, since atomics ask for that (D9). */
  private static long iova(long random, MemorySegment segment) {
    return random | segment.address() & (PAGE - 1);
  }

  /**
   * Opens memory.
   *
   * @param segment the memory
   * @param random a random address, which its first byte gets unless it is zero-based
   * @param rights bits of {@code Access}
   */
  public void open(MemorySegment segment, long random, int rights) {
    boolean zero = (rights & Access.ZERO_BASED) != 0;
    Mapping m = Mapping.of(new MemorySegment[] {segment}, zero ? 0 : iova(random, segment));
    mapping = m;
    access = rights;
    for (Key key : List.of(local, remote)) {
      key.open(key.begin(false), key.number(), m.segments, m.starts, rights);
    }
  }

  // ---- fast registration ----

  /** {@return whether it is registered by posted requests} */
  public boolean fast() {
    return segmentsMost > 0;
  }

  /** {@return how many segments a fast registration has at most} */
  public int segmentsMost() {
    return segmentsMost;
  }

  /** Sets the memory that the next REG_MR opens. */
  public void map(MemorySegment[] segments) {
    mapping = Mapping.of(segments, iova(base, segments[0]));
    access = 0;
  }

  /**
   * REG_MR.
   *
   * @param by the queue pair that was asked
   * @param number the new rkey
   * @param rights bits of {@code Access}
   * @return whether it was allowed (IBA 10.6.4.3: the region must be free)
   */
  public boolean register(KeyHolder by, int number, int rights) {
    Mapping m = mapping;
    boolean writes = (rights & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
    if (!fast()
        || m == null
        || domain != by.domain()
        || number >>> 8 != remote.index()
        || (rights & ~RIGHTS) != 0
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
  public boolean invalidate(boolean mustBeRegistered) {
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
  public boolean settled() {
    return local.idle() && remote.idle();
  }

  // ---- windows ----

  /** {@return how many windows are bound to it} */
  public int windows() {
    return windows.get();
  }

  void bound() {
    windows.getAndIncrement();
  }

  void unbound() {
    windows.getAndDecrement();
  }

  // ---- what it is now ----

  /** {@return its key for local accesses} */
  public Key local() {
    return local;
  }

  /** {@return its key for accesses of the peer, to which windows are bound} */
  public Key remote() {
    return remote;
  }

  /** {@return the address of its first byte} */
  public long iova() {
    Mapping m = mapping;
    return m == null || (access & Access.ZERO_BASED) != 0 ? 0 : m.starts[0];
  }

  /** {@return the number of its bytes} */
  public long length() {
    Mapping m = mapping;
    return m == null ? 0 : m.bytes();
  }

  /** {@return bits of {@code Access}} */
  public int access() {
    return access;
  }

  /** {@return its memory, of a fast registration the first segment} */
  public MemorySegment segment() {
    Mapping m = mapping;
    return m == null ? MemorySegment.NULL : m.segments[0];
  }
}
