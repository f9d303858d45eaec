package ib.engine.mr;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one key opens, and whether it does. A region has one for its lkey and one for its rkey, a
 * window one for its rkey. It stays in its table as long as the object lives and is opened and
 * closed in place, so that a posted registration, bind or invalidation allocates nothing.
 *
 * <p>Readers are lock-free: {@link #admit} gives the version under which access was allowed, and
 * whatever was read afterwards counts only while that version is {@link #live} (a sequence lock).
 * Writers exclude one another by {@link #begin} and never wait on the data path.
 */
public final class MrKey {
  /** Result of {@link #admit} and {@link #begin}: not allowed. */
  public static final long REFUSED = -1;

  private static final MemorySegment[] NOTHING = {MemorySegment.NULL};
  private static final long OPEN = 0;
  private static final long CLOSED = 1;
  private static final long CHANGING = 2;
  private static final long STATE = 3;
  private static final long STEP = 4;
  private static final VarHandle VERSION;
  private static final VarHandle USERS;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(MrKey.class, "version", long.class);
      USERS = MethodHandles.lookup().findVarHandle(MrKey.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Object object;
  private final int domain;
  private final boolean posted;
  private volatile long version = CLOSED;
  private volatile int users; // who are in the middle of a copy; only when posted

  // written between begin and open or close
  private int number;
  private MemorySegment[] segments = NOTHING;
  private long[] starts = {0};
  private long first;
  private long length;
  private int access;
  private @Nullable MrKey region; // of a window
  private long regionVersion;
  private @Nullable Object holder; // who alone may use it

  /**
   * Makes a closed key.
   *
   * @param number the key, 32 bits; the upper 24 are for ever
   * @param domain number of the protection domain
   * @param object the region or window it belongs to
   */
  public MrKey(int number, int domain, Object object) {
    this(number, domain, object, false);
  }

  /**
   * Makes a closed key.
   *
   * @param number the key, 32 bits; the upper 24 are for ever
   * @param domain number of the protection domain
   * @param object the region or window it belongs to
   * @param posted whether posted requests open and close it: then copies through it are counted
   */
  public MrKey(int number, int domain, Object object, boolean posted) {
    this.number = number;
    this.domain = domain;
    this.object = object;
    this.posted = posted;
  }

  /** {@return the key, 32 bits} */
  public int number() {
    return number;
  }

  /** {@return where it stands in its table: the upper 24 bits of the key} */
  public int index() {
    return number >>> 8;
  }

  /** {@return the region or window it belongs to} */
  public Object object() {
    return object;
  }

  /** {@return number of the protection domain} */
  public int domain() {
    return domain;
  }

  /** {@return who alone may use it, null for all of the domain} */
  public @Nullable Object holder() {
    return holder;
  }

  /** {@return bits of {@code Access}} */
  public int access() {
    return access;
  }

  // ---- writers ----

  /** {@return whether it is open now} */
  public boolean isOpen() {
    return (version & STATE) == OPEN;
  }

  /**
   * Begins a change; end it with {@link #open}, {@link #bind} or {@link #close}.
   *
   * @param wasOpen whether it must be open or must be closed
   * @return the version to end it with, or {@link #REFUSED} when it is otherwise or another changes
   *     it
   */
  public long begin(boolean wasOpen) {
    long v = version;
    boolean fits = (v & STATE) == (wasOpen ? OPEN : CLOSED);
    long changing = (v & ~STATE) + STEP | CHANGING;
    if (!fits || !VERSION.compareAndSet(this, v, changing)) {
      return REFUSED;
    }
    VarHandle.storeStoreFence(); // nobody may see a new field under the old version
    return changing;
  }

  /**
   * Ends a change: it opens memory.
   *
   * @param begun what {@link #begin} gave
   * @param key its number from now on
   * @param memory the segments, in order
   * @param at the address of each segment's first byte, and at last of the byte after all
   * @param rights bits of {@code Access}
   */
  public void open(long begun, int key, MemorySegment[] memory, long[] at, int rights) {
    number = key;
    segments = memory;
    starts = at;
    first = at[0];
    length = at[memory.length] - at[0];
    access = rights;
    region = null;
    holder = null;
    VERSION.setRelease(this, begun & ~STATE | OPEN);
  }

  /**
   * Ends a change: it opens a part of a region.
   *
   * @param begun what {@link #begin} gave
   * @param key its number from now on
   * @param of the region's key
   * @param ofVersion the version under which the region allowed it
   * @param address first byte
   * @param bytes how many
   * @param rights bits of {@code Access}
   * @param only who alone may use it, or null
   */
  public void bind(
      long begun,
      int key,
      MrKey of,
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
   * Ends a change: it opens nothing.
   *
   * @param begun what {@link #begin} gave
   * @param key its number from now on
   */
  public void close(long begun, int key) {
    number = key;
    region = null;
    holder = null;
    segments = NOTHING; // what is not reachable can be freed
    VERSION.setRelease(this, begun & ~STATE | CLOSED);
  }

  /**
   * Closes it for good, whatever others do with it; control path. Who is copying already is waited
   * for by the queue pairs' fence.
   */
  public void revoke() {
    while ((version & STATE) != CLOSED) {
      long begun = begin(true);
      if (begun != REFUSED) {
        close(begun, number);
      }
      Thread.onSpinWait(); // a change by another takes a few stores
    }
  }

  // ---- readers ----

  /**
   * The one check of every access to registered memory: key, domain, rights, bounds, life (D6).
   *
   * @param key the whole key as it was given
   * @param requester number of the protection domain of the queue pair
   * @param who the queue pair
   * @param rights bits of {@code Access} that are needed
   * @param address first byte, in the region's space
   * @param bytes how many
   * @return the version under which the access is allowed, or {@link #REFUSED}
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
   * Whether what was allowed is still allowed.
   *
   * @param admitted a version that {@link #admit} gave
   * @return whether neither the key nor the region below it has changed
   */
  public boolean live(long admitted) {
    MrKey of = region;
    long ofVersion = regionVersion;
    VarHandle.loadLoadFence(); // all that was read before was read under the version seen now
    return version == admitted && (of == null || of.version == ofVersion);
  }

  // ---- copies, and the fence of who closes a key by a posted request ----

  /**
   * A copy through it begins, before it asks whether the key is {@link #live}: so who has closed
   * the key and finds it {@link #idle} knows that no copy is under way, and none comes. Other
   * regions are closed on the control path, which waits for the queue pairs themselves: their
   * copies are not counted.
   */
  void enter() {
    if (posted) {
      USERS.getAndAdd(this, 1); // a full fence
    }
  }

  /** The copy is over, whatever it came to. */
  void leave() {
    if (posted) {
      USERS.getAndAdd(this, -1);
    }
  }

  /** {@return whether nobody is in the middle of a copy; ask after closing it} */
  public boolean idle() {
    VarHandle.fullFence(); // the closing before the look
    return users == 0;
  }

  /** {@return first address that it opens; counts while live} */
  public long first() {
    return first;
  }

  /** {@return bytes that it opens; counts while live} */
  public long length() {
    return length;
  }

  private MrKey memory() {
    MrKey of = region;
    return of == null ? this : of;
  }

  /**
   * Finds the segment of an address; counts while live.
   *
   * @param address within bounds
   * @return its place
   */
  int place(long address) {
    long[] at = memory().starts;
    int i = 0;
    while (i < at.length - 2 && address >= at[i + 1]) {
      i++;
    }
    return i;
  }

  /** A segment; counts while live. */
  MemorySegment segment(int place) {
    MemorySegment[] all = memory().segments;
    return all[Math.min(place, all.length - 1)];
  }

  /** Address of a segment's first byte; counts while live. */
  long start(int place) {
    long[] at = memory().starts;
    return at[Math.min(place, at.length - 1)];
  }

  /**
   * Some first bytes of an access that lie in one segment; counts while live.
   *
   * @param place the segment
   * @param address first byte
   * @param bytes of the access
   * @return how many, at least 1
   */
  int run(int place, long address, long bytes) {
    long[] at = memory().starts;
    long end = at[Math.min(place + 1, at.length - 1)];
    return (int) Math.max(1, Math.min(bytes, end - address));
  }
}
