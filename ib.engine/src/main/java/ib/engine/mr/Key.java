package ib.engine.mr;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One key and the memory that it opens. A region has one for its lkey and one for its rkey, a
 * window one for its rkey. The object stays in its table as long as the region or window exists; it
 * is opened and closed in place, so that a posted registration, bind or invalidation allocates
 * nothing.
 *
 * <p>A key of one segment, which is nearly every key, holds it in its fields; a fast registration
 * of several has arrays besides.
 *
 * <p>Readers take no lock: {@link #admit} returns the version under which access is allowed, and
 * fields read afterwards are valid only while that version is {@link #live} (a sequence lock).
 * Writers exclude each other by {@link #begin} and never wait on the data path.
 */
public final class Key {
  /** Result of {@link #admit} and {@link #begin}: not allowed. */
  public static final long REFUSED = -1;

  private static final long OPEN = 0;
  private static final long CLOSED = 1;
  private static final long CHANGING = 2;
  private static final long STATE = 3;
  private static final long STEP = 4;
  private static final VarHandle VERSION;
  private static final VarHandle USERS;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Key.class, "version", long.class);
      USERS = MethodHandles.lookup().findVarHandle(Key.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Object object;
  private final int domain;
  private final boolean posted;
  private volatile long version = CLOSED;
  private volatile int users; // number of running copies; counted only if posted

  // written between begin and open or close
  private int number;
  private MemorySegment segment = MemorySegment.NULL; // all of the memory, or its first segment
  private MemorySegment @Nullable [] segments; // null while there is one
  private long @Nullable [] starts; // their addresses and the end; null while there is one segment
  private long first;
  private long length;
  private int access;
  private @Nullable Key region; // region of a window's key
  private long regionVersion;
  private @Nullable Object holder; // the only queue pair that may use the key

  /**
   * Creates a closed key.
   *
   * @param number the key, 32 bits; the upper 24 bits never change
   * @param domain number of the protection domain
   * @param object the region or window of the key
   */
  public Key(int number, int domain, Object object) {
    this(number, domain, object, false);
  }

  /**
   * Creates a closed key.
   *
   * @param number the key, 32 bits; the upper 24 bits never change
   * @param domain number of the protection domain
   * @param object the region or window of the key
   * @param posted whether posted requests open and close the key, in which case copies through it
   *     are counted
   */
  public Key(int number, int domain, Object object, boolean posted) {
    this.number = number;
    this.domain = domain;
    this.object = object;
    this.posted = posted;
  }

  /** {@return the key, 32 bits} */
  public int number() {
    return number;
  }

  /** {@return the index in the key table: the upper 24 bits of the key} */
  public int index() {
    return number >>> 8;
  }

  /** {@return the region or window of the key} */
  public Object object() {
    return object;
  }

  /** {@return number of the protection domain} */
  public int domain() {
    return domain;
  }

  /** {@return the only queue pair that may use the key; null for all of the domain} */
  public @Nullable Object holder() {
    return holder;
  }

  /** {@return bits of {@code Access}} */
  public int access() {
    return access;
  }

  // ---- writers ----

  /** {@return whether the key is open} */
  public boolean isOpen() {
    return (version & STATE) == OPEN;
  }

  /**
   * Begins a change; end it with {@link #open}, {@link #bind} or {@link #close}.
   *
   * @param wasOpen whether the key must be open, else it must be closed
   * @return the version with which to end the change; {@link #REFUSED} when the key is not so, or
   *     another thread is changing it
   */
  public long begin(boolean wasOpen) {
    long v = version;
    boolean fits = (v & STATE) == (wasOpen ? OPEN : CLOSED);
    long changing = (v & ~STATE) + STEP | CHANGING;
    if (!fits || !VERSION.compareAndSet(this, v, changing)) {
      return REFUSED;
    }
    VarHandle.storeStoreFence(); // no reader may see a new field under the old version
    return changing;
  }

  /**
   * Ends a change: the key opens memory.
   *
   * @param begun result of {@link #begin}
   * @param key the new number of the key
   * @param memory the segments, in order
   * @param at the address of each segment's first byte, and at last of the byte after all
   * @param rights bits of {@code Access}
   */
  public void open(long begun, int key, MemorySegment[] memory, long[] at, int rights) {
    number = key;
    boolean one = memory.length == 1;
    segment = memory[0];
    segments = one ? null : memory;
    starts = one ? null : at;
    first = at[0];
    length = at[memory.length] - at[0];
    access = rights;
    region = null;
    holder = null;
    VERSION.setRelease(this, begun & ~STATE | OPEN);
  }

  /**
   * Ends a change: the key opens a part of a region.
   *
   * @param begun result of {@link #begin}
   * @param key the new number of the key
   * @param of the region's key
   * @param ofVersion the version under which the region's key has admitted the bind
   * @param address address of the first byte
   * @param bytes number of bytes
   * @param rights bits of {@code Access}
   * @param only the only queue pair that may use the key; null for all of the domain
   */
  public void bind(
      long begun,
      int key,
      Key of,
      long ofVersion,
      long address,
      long bytes,
      int rights,
      @Nullable Object only) {
    number = key;
    region = of;
    regionVersion = ofVersion;
    first = address;
    length = bytes;
    access = rights;
    holder = only;
    VERSION.setRelease(this, begun & ~STATE | OPEN);
  }

  /**
   * Ends a change: the key is closed.
   *
   * @param begun result of {@link #begin}
   * @param key the new number of the key
   */
  public void close(long begun, int key) {
    number = key;
    region = null;
    holder = null;
    segment = MemorySegment.NULL; // unreachable memory can be freed
    segments = null;
    starts = null;
    VERSION.setRelease(this, begun & ~STATE | CLOSED);
  }

  /**
   * Closes the key for good, also against concurrent changes. For the control path; spins. The
   * caller waits for running copies afterwards, by waiting for the queue pairs.
   */
  public void revoke() {
    while ((version & STATE) != CLOSED) {
      long begun = begin(true);
      if (begun == REFUSED) {
        Thread.onSpinWait(); // a change by another thread takes a few stores
      } else {
        close(begun, number);
      }
    }
  }

  // ---- readers ----

  /**
   * Checks an access to registered memory: key, domain, rights, bounds, state (D6). Every access
   * passes this check.
   *
   * @param key the whole key of the request
   * @param requester number of the protection domain of the queue pair
   * @param who the queue pair
   * @param rights required bits of {@code Access}
   * @param address address of the first byte
   * @param bytes number of bytes
   * @return the version under which the access is allowed; {@link #REFUSED} if it is not
   */
  public long admit(int key, int requester, Object who, int rights, long address, long bytes) {
    long v = version;
    if ((v & STATE) != OPEN) {
      return REFUSED;
    }
    long offset = address - first;
    Object only = holder;
    boolean ok =
        number == key
            && domain == requester
            && (access & rights) == rights
            && offset >= 0
            && bytes <= length - offset
            && (only == null || only.equals(who));
    return ok && live(v) ? v : REFUSED;
  }

  /**
   * Returns whether an admitted access is still allowed.
   *
   * @param admitted result of {@link #admit}
   * @return whether neither the key nor the region below it has changed
   */
  public boolean live(long admitted) {
    Key of = region;
    long ofVersion = regionVersion;
    VarHandle.loadLoadFence(); // all earlier reads happened under the version read now
    return version == admitted && (of == null || of.version == ofVersion);
  }

  // ---- copies, and the wait of a posted request that closes a key ----

  /**
   * Begins a copy; call it before {@link #live}. A thread that has closed the key and then finds it
   * {@link #idle} therefore knows that no copy is in progress and none will start. Other regions
   * are closed on the control path, which waits for the queue pairs: their copies are not counted.
   */
  void enter() {
    if (posted) {
      USERS.getAndAdd(this, 1); // with a full memory fence
    }
  }

  /** Ends a copy, whatever its result. */
  void leave() {
    if (posted) {
      USERS.getAndAdd(this, -1);
    }
  }

  /** {@return whether no copy is in progress; call after closing the key} */
  public boolean idle() {
    VarHandle.fullFence(); // orders the close before the read below
    return users == 0;
  }

  /** {@return the first address that the key opens; valid while live} */
  public long first() {
    return first;
  }

  /** {@return the number of bytes that the key opens; valid while live} */
  public long length() {
    return length;
  }

  private Key memory() {
    Key of = region;
    return of == null ? this : of;
  }

  /**
   * Finds the segment of an address; valid while live.
   *
   * @param address an address within bounds
   * @return index of the segment
   */
  int place(long address) {
    long[] at = memory().starts;
    int i = 0;
    while (at != null && i < at.length - 2 && address >= at[i + 1]) {
      i++;
    }
    return i;
  }

  /** {@return a segment; valid while live} */
  MemorySegment segment(int place) {
    Key of = memory();
    MemorySegment[] all = of.segments;
    return all == null ? of.segment : all[Math.min(place, all.length - 1)];
  }

  /** {@return the address of a segment's first byte; valid while live} */
  long start(int place) {
    Key of = memory();
    long[] at = of.starts;
    return at == null ? of.first : at[Math.min(place, at.length - 1)];
  }

  /**
   * Returns how many first bytes of an access are in one segment; valid while live.
   *
   * @param place index of the segment
   * @param address address of the first byte
   * @param bytes bytes of the access
   * @return number of bytes, at least 1
   */
  int run(int place, long address, long bytes) {
    Key of = memory();
    long[] at = of.starts;
    long end = at == null ? of.first + of.length : at[Math.min(place + 1, at.length - 1)];
    return (int) Math.max(1, Math.min(bytes, end - address));
  }
}
