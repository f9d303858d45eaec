package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import ib.core.verbs.ObjectControl.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A protection domain: what belongs to one domain cannot be used with another (IBA 10.2.3). */
public abstract non-sealed class ProtectionDomain extends IbObject {

  /**
   * For drivers.
   *
   * @param control the core's book
   */
  protected ProtectionDomain(ObjectControl control) {
    super(control);
  }

  /**
   * Registers memory of the caller. The region keeps a strong reference to the segment (B23).
   * Closing the segment's arena while the region lives turns later accesses into protection errors,
   * never into a crash (D6).
   *
   * @param segment native, accessible from any thread (shared, automatic or global arena), at least
   *     1 byte
   * @param access bits of {@link Access}
   * @return the region
   * @throws IbInvalidException for a heap or confined segment, or rights that do not go together
   * @throws IbNoMemoryException when the device has no more, or the client may have no more
   */
  @MaySleep
  public final MemoryRegion registerMemory(MemorySegment segment, int access) {
    control().enter("registerMemory");
    MemoryRegion.check(control().given(segment, "registerMemory", "segment"), access);
    return Creation.run(
        control(),
        Kind.MR,
        c -> {
          c.grow(Amount.REGISTERED, segment.byteSize());
          return doRegisterMemory(c, segment, access);
        },
        this);
  }

  /**
   * Registers memory that the region owns and frees when it is closed.
   *
   * @param bytes size, at least 1
   * @param alignment a power of two, in bytes
   * @param access bits of {@link Access}
   * @return the region; its memory is zeroed
   * @throws IbInvalidException when size, alignment or rights are wrong
   * @throws IbNoMemoryException when there is no such memory, or the client may have no more; that
   *     is known before any memory is touched
   */
  @MaySleep
  public final MemoryRegion allocMemory(long bytes, long alignment, int access) {
    control().enter("allocMemory");
    MemoryRegion.checkRights(access);
    Arena arena = MemoryRegion.arenaFor(bytes, alignment);
    boolean made = false;
    try {
      MemoryRegion region =
          Creation.run(
              control(),
              Kind.MR,
              c -> {
                c.grow(Amount.ALLOCATED, bytes);
                return doAllocMemory(c, MemoryRegion.allocate(arena, bytes, alignment), access)
                    .own(arena);
              },
              this);
      made = true;
      return region;
    } finally {
      if (!made && arena.scope().isAlive()) {
        arena.close(); // a region revoked while it was made has closed its arena itself
      }
    }
  }

  /**
   * Allocates an unbound region for fast registration ({@link Cap#MEM_MGT_EXTENSIONS}): say what it
   * maps with {@link MemoryRegion#map}, then post REG_MR; LOCAL_INV or the peer's SEND_WITH_INV
   * make it unbound again.
   *
   * @param maxSegments the most segments it will map, 1 to 256
   * @return the region
   * @throws IbInvalidException for another number
   */
  @MaySleep
  public final MemoryRegion allocFastRegistration(int maxSegments) {
    control().enter("allocFastRegistration");
    device().requireCap(Cap.MEM_MGT_EXTENSIONS, "allocFastRegistration");
    if (maxSegments < 1 || maxSegments > 256) {
      throw new IbInvalidException(
          "allocFastRegistration", "maxSegments " + maxSegments, "1 to 256");
    }
    return Creation.run(control(), Kind.MR, c -> doAllocFastRegistration(c, maxSegments), this);
  }

  /**
   * Allocates a memory window ({@link Cap#MEM_WINDOW}, {@link Cap#MEM_WINDOW_TYPE_2B}).
   *
   * @param type its type
   * @return the window, unbound
   */
  @MaySleep
  public final MemoryWindow allocWindow(MwType type) {
    control().enter("allocWindow");
    control().given(type, "allocWindow", "type");
    device()
        .requireCap(type == MwType.TYPE_1 ? Cap.MEM_WINDOW : Cap.MEM_WINDOW_TYPE_2B, "allocWindow");
    return Creation.run(control(), Kind.MW, c -> doAllocWindow(c, type), this);
  }

  /**
   * Creates an address handle without sleeping (S2).
   *
   * @param attr the address
   * @return the handle
   * @throws IbInvalidException when port, GID index or address do not exist
   */
  @AnyContext
  public final AddressHandle createAh(AhAttr attr) {
    control().enterAnyContext("createAh");
    control().given(attr, "createAh", "attr");
    return Creation.run(control(), Kind.AH, c -> doCreateAh(c, attr, false), this);
  }

  /**
   * Creates an address handle; the driver may sleep to resolve the address (S11b).
   *
   * @param attr the address
   * @return the handle
   */
  @MaySleep
  public final AddressHandle createAhSleepable(AhAttr attr) {
    control().enter("createAhSleepable");
    control().given(attr, "createAhSleepable", "attr");
    return Creation.run(control(), Kind.AH, c -> doCreateAh(c, attr, true), this);
  }

  /**
   * Creates an address handle that answers a received datagram.
   *
   * @param wc the completion of the receive
   * @param grh the first 40 bytes of the receive buffer; read when {@link WcFlags#GRH} is set
   * @param port the port it arrived on
   * @return the handle
   */
  @AnyContext
  public final AddressHandle createAhFromCompletion(
      WorkCompletion wc, @Nullable MemorySegment grh, int port) {
    return createAh(AddressHandle.answer(device(), wc, grh, port));
  }

  /**
   * Creates a queue pair in RESET.
   *
   * @param init type, queues, capacities, handler and context
   * @return the queue pair
   * @throws IbInvalidException when queues belong to another device or domain, or attributes do not
   *     fit (S51)
   * @throws IbNotSupportedException when the device does not have the type
   */
  @MaySleep
  public final QueuePair createQp(QpInit init) {
    control().enter("createQp");
    control().given(init, "createQp", "init").check(this);
    return Creation.run(
            control(),
            Kind.QP,
            c -> {
              c.grow(Amount.WORK_REQUESTS, init.cap().workRequests());
              return doCreateQp(c, init.guarded(c));
            },
            init.uses(this))
        .in(this);
  }

  /**
   * Creates a shared receive queue.
   *
   * @param init capacities, limit, handler and context
   * @return the queue
   */
  @MaySleep
  public final SharedReceiveQueue createSrq(SrqInit init) {
    control().enter("createSrq");
    control().given(init, "createSrq", "init").check(this);
    return Creation.run(
        control(),
        Kind.SRQ,
        c -> {
          c.grow(Amount.WORK_REQUESTS, init.attr().maxWr());
          return doCreateSrq(c, init.guarded(c));
        },
        this);
  }

  /**
   * Registers memory.
   *
   * @param control the new object's book
   * @param segment the memory, checked
   * @param access rights, checked
   * @return the driver's object
   */
  protected abstract MemoryRegion doRegisterMemory(
      ObjectControl control, MemorySegment segment, int access);

  /**
   * Registers memory that only the region frees, after it was destroyed: a driver that keeps the
   * caller's memory from being freed need not do so here.
   *
   * @param control the new object's book
   * @param segment the memory, checked
   * @param access rights, checked
   * @return the driver's object
   */
  protected MemoryRegion doAllocMemory(ObjectControl control, MemorySegment segment, int access) {
    return doRegisterMemory(control, segment, access);
  }

  /**
   * Makes a region for fast registration.
   *
   * @param control the new object's book
   * @param maxSegments the most segments
   * @return the driver's object
   */
  protected abstract MemoryRegion doAllocFastRegistration(ObjectControl control, int maxSegments);

  /**
   * Makes a memory window.
   *
   * @param control the new object's book
   * @param type its type
   * @return the driver's object
   */
  protected abstract MemoryWindow doAllocWindow(ObjectControl control, MwType type);

  /**
   * Makes an address handle.
   *
   * @param control the new object's book
   * @param attr the address
   * @param maySleep whether the driver may sleep
   * @return the driver's object
   */
  protected abstract AddressHandle doCreateAh(ObjectControl control, AhAttr attr, boolean maySleep);

  /**
   * Makes a queue pair.
   *
   * @param control the new object's book
   * @param init the attributes, checked
   * @return the driver's object
   */
  protected abstract QueuePair doCreateQp(ObjectControl control, QpInit init);

  /**
   * Makes a shared receive queue.
   *
   * @param control the new object's book
   * @param init the attributes, checked
   * @return the driver's object
   */
  protected abstract SharedReceiveQueue doCreateSrq(ObjectControl control, SrqInit init);
}
