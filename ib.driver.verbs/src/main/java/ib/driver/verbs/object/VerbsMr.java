package ib.driver.verbs.object;

import ib.core.verbs.Access;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ObjectControl;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;

/**
 * A memory region of the kernel (V7). Its own space starts at a random address with the offset in
 * its page that the memory has, as the kernel wants it.
 */
final class VerbsMr extends MemoryRegion {
  private static final long BYTES = Layout.size("ibv_mr");
  private static final long LKEY = Layout.at("ibv_mr", "lkey", 4);
  private static final long RKEY = Layout.at("ibv_mr", "rkey", 4);
  private static final long PAGE = 4096;
  private static final int SPACE_BITS = 46; // random addresses are below 2^47, as user memory is
  private static final int SUPPORTED =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.MW_BIND
          | Access.ZERO_BASED
          | Access.RELAXED_ORDERING;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A registration with the kernel. */
  private record Registered(
      long address, int lkey, int rkey, MemorySegment segment, long iova, int access, Hold hold) {}

  private final VerbsPd pd;
  private final boolean owned;
  final Held held = new Held();
  private volatile Registered now;

  VerbsMr(ObjectControl control, VerbsPd pd, MemorySegment segment, int access, boolean owned) {
    super(control);
    this.pd = pd;
    this.owned = owned;
    this.now = register(segment, access);
    pd.context.regions.add(now.lkey, this);
  }

  private Registered register(MemorySegment segment, int access) {
    if ((access & ~SUPPORTED) != 0) {
      throw new IbNotSupportedException(
          "registerMemory",
          "access 0x" + Integer.toHexString(access & ~SUPPORTED) + " is not offered",
          "other bits of Access");
    }
    if (segment.isReadOnly() && (access & Access.LOCAL_WRITE) != 0) {
      throw new IbInvalidException("registerMemory", "the segment is read-only", "no write access");
    }
    long iova = iova(segment, access);
    Hold hold = owned ? Hold.NONE : Hold.of(segment);
    boolean done = false;
    try (Frame frame = new Frame()) {
      VerbsContext context = pd.context;
      long made =
          context.make(
              frame,
              "registerMemory",
              context.library.regMr,
              pd.address,
              segment.address(),
              segment.byteSize(),
              iova,
              access & ~Access.ZERO_BASED);
      MemorySegment mr = Frame.at(made, BYTES);
      done = true;
      return new Registered(
          made,
          mr.get(ValueLayout.JAVA_INT, LKEY),
          mr.get(ValueLayout.JAVA_INT, RKEY),
          segment,
          iova,
          access,
          hold);
    } finally {
      if (!done) {
        hold.end();
      }
    }
  }

  private static long iova(MemorySegment segment, int access) {
    long offset = segment.address() & PAGE - 1;
    if ((access & Access.ZERO_BASED) == 0) {
      return RANDOM.nextLong(1, 1L << SPACE_BITS - 12) * PAGE + offset;
    }
    if (offset != 0) {
      throw new IbInvalidException(
          "registerMemory",
          "ZERO_BASED memory that does not begin at a page",
          "an alignment of " + PAGE);
    }
    return 0;
  }

  @Override
  public int lkey() {
    return now.lkey;
  }

  @Override
  public int rkey() {
    return now.rkey;
  }

  @Override
  public long iova() {
    return now.iova;
  }

  @Override
  public long length() {
    return now.segment.byteSize();
  }

  @Override
  public int access() {
    return now.access;
  }

  @Override
  public MemorySegment segment() {
    return now.segment;
  }

  long address() {
    return now.address;
  }

  /**
   * Copies from the region for an inline send.
   *
   * @return whether the bytes are inside the region, and it belongs to the domain
   */
  boolean copy(long domain, long from, MemorySegment into, long at, int length) {
    Registered r = now;
    long offset = from - r.iova;
    if (domain != pd.address || offset < 0 || offset > r.segment.byteSize() - length) {
      return false;
    }
    try {
      MemorySegment.copy(r.segment, offset, into, at, length);
      return true;
    } catch (IllegalStateException e) {
      return false; // its arena was closed
    }
  }

  /** Registers the new memory first, so that a refusal leaves the region as it was. */
  @Override
  protected synchronized void doReregister(MemorySegment segment, int access) {
    Registered before = now;
    Registered after = register(segment, access);
    pd.context.regions.add(after.lkey, this);
    now = after;
    deregister(before);
  }

  private void deregister(Registered r) {
    VerbsContext context = pd.context;
    context.regions.remove(r.lkey, this);
    try (Frame frame = new Frame()) {
      context.destroyed("MR", frame.check(context.library.deregMr, r.address));
    }
    r.hold.end();
  }

  @Override
  protected void doDestroy() {
    held.end();
    deregister(now);
  }
}
