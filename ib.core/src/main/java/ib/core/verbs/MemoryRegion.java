package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A memory region: registered memory with a local and a remote key.
 *
 * <p>Addresses in scatter/gather elements and remote addresses count in the region's own space,
 * which starts at {@link #iova}: a random number, not the real address (D9). Byte {@code n} of the
 * segment is {@code iova() + n}.
 */
public abstract non-sealed class MemoryRegion extends IbObject {
  private @Nullable Arena arena;

  /**
   * For drivers.
   *
   * @param control the core's book
   */
  protected MemoryRegion(ObjectControl control) {
    super(control);
  }

  /** {@return the local key, 32 bits, random} */
  @AnyContext
  public abstract int lkey();

  /** {@return the remote key, 32 bits, random, never equal to the local key} */
  @AnyContext
  public abstract int rkey();

  /** {@return the address of the first byte in work requests} */
  @AnyContext
  public abstract long iova();

  /** {@return the length in bytes} */
  @AnyContext
  public abstract long length();

  /** {@return the rights, bits of {@link Access}} */
  @AnyContext
  public abstract int access();

  /** {@return the memory; empty for a region that is not bound yet} */
  @AnyContext
  public abstract MemorySegment segment();

  /**
   * Changes memory or rights of the region; keys change.
   *
   * @param segment the new memory, or null to keep it
   * @param access the new rights, bits of {@link Access}
   * @throws IbNotSupportedException without {@link Cap#REREG_MR}
   */
  @MaySleep
  public final void reregister(@Nullable MemorySegment segment, int access) {
    control().enter("reregister");
    device().requireCap(Cap.REREG_MR, "reregister");
    if (segment == null) {
      checkRights(access);
      control().run("reregister", () -> doReregister(segment(), access));
    } else {
      check(segment, access);
      sized(
          Amount.REGISTERED, segment.byteSize(), "reregister", () -> doReregister(segment, access));
    }
  }

  /**
   * Says what the next REG_MR request for this fast registration region maps ({@code
   * ib_map_mr_sg}). The segments follow one another in the region's space, whose start {@link
   * #iova} tells from now on (0 when it is registered {@link Access#ZERO_BASED}).
   *
   * <p>It takes the place of {@code map_phys_fmr} (S10), which this API does not have. The key of
   * an old fast memory region opens the memory as soon as it is mapped, in no order with requests,
   * and stays open until regions are unmapped together, later; so a peer reaches memory that its
   * owner uses for something else by then. Here REG_MR and LOCAL_INV open and close the key in the
   * order of the queue. And the old call is given page addresses, which have neither bounds nor a
   * lifetime; a segment has both.
   *
   * @param segments native, accessible from any thread, at least one and at most as many as {@link
   *     ProtectionDomain#allocFastRegistration} was given
   * @throws IbInvalidException for other segments, or a region that was made otherwise
   */
  @AnyContext
  public final void map(MemorySegment... segments) {
    control().enterAnyContext("map");
    for (MemorySegment s : control().given(segments, "map", "segments")) {
      check(control().given(s, "map", "a segment"), 0);
    }
    control().run("map", () -> doMap(segments.clone()));
  }

  /**
   * The key that differs from another in its low byte only, the part that consumers choose ({@code
   * ib_inc_rkey}). Any context.
   *
   * @param key of a fast registration region or a memory window
   * @return the next one
   */
  @AnyContext
  public static int nextKey(int key) {
    return key & ~0xff | (key + 1) & 0xff;
  }

  /**
   * Says what the next REG_MR maps; for drivers with {@link Cap#MEM_MGT_EXTENSIONS}.
   *
   * @param segments the memory, checked
   */
  protected void doMap(MemorySegment[] segments) {
    throw new IbInvalidException(
        this + ".map", "not a region for fast registration", "allocFastRegistration");
  }

  /**
   * Changes memory and rights.
   *
   * @param segment the memory, checked
   * @param access the rights, checked
   */
  protected abstract void doReregister(MemorySegment segment, int access);

  static void check(MemorySegment segment, int access) {
    String what = "register memory";
    if (!segment.isNative()) {
      throw new IbInvalidException(
          what, "a heap segment has no address", "Arena.ofShared().allocate(...)");
    }
    if (segment.byteSize() == 0) {
      throw new IbInvalidException(what, "length 0", "1 byte or more");
    }
    if (!segment.isAccessibleBy(ANY_THREAD)) {
      throw new IbInvalidException(
          what, "the segment is confined to one thread", "a shared, automatic or global arena");
    }
    checkRights(access);
  }

  static void checkRights(int access) {
    int needsWrite = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
    if ((access & needsWrite) != 0 && (access & Access.LOCAL_WRITE) == 0) {
      throw new IbInvalidException(
          "register memory",
          "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE (IBA 10.6.3)",
          "add Access.LOCAL_WRITE");
    }
  }

  /** A thread that never runs and owns nothing: what it may access, any thread may. */
  private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

  static Arena arenaFor(long bytes, long alignment) {
    if (bytes < 1 || alignment < 1 || Long.bitCount(alignment) != 1) {
      throw new IbInvalidException(
          "allocMemory",
          "bytes " + bytes + ", alignment " + alignment,
          "bytes of at least 1 and a power of two");
    }
    return Arena.ofShared();
  }

  /**
   * Zeroes it, too; an alignment that cannot be had together with the size is no memory, either.
   */
  static MemorySegment allocate(Arena arena, long bytes, long alignment) {
    if (bytes > Long.MAX_VALUE - alignment) {
      throw new IbNoMemoryException(
          "allocMemory", bytes + " bytes aligned to " + alignment + " do not exist", "less");
    }
    return arena.allocate(bytes, alignment);
  }

  MemoryRegion own(Arena owned) {
    this.arena = owned;
    return this;
  }

  @Override
  void released() {
    if (arena != null) {
      arena.close();
    }
  }
}
