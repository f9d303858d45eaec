package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import ib.core.verbs.ObjectControl.Kind;

/**
 * A device. A client receives its own handle in {@code IbClient.add}: what is created through it,
 * and through what was created through it, belongs to that client (D2).
 *
 * <p>The object registered as OSGi service answers the query methods only; creating through it is
 * refused with {@link IbPermissionException}, because order and fences (S39-S41) hold for handles
 * alone.
 */
public abstract class IbDevice {

  /** For the core and drivers. */
  protected IbDevice() {}

  /** {@return an immutable snapshot of name and identity; a rename makes a new one (CC-15)} */
  @AnyContext
  public abstract DeviceInfo info();

  /** {@return the attributes, as read when the device was probed} */
  @AnyContext
  public abstract DeviceAttr attrs();

  /**
   * Asks the device.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @return the attributes now
   * @throws IbInvalidException for any other port
   */
  @MaySleep
  public abstract PortAttr queryPort(int port);

  /**
   * The cached port attributes: as fresh as the last port event that any handler has seen (B13).
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @return the attributes
   */
  @AnyContext
  public abstract PortAttr port(int port);

  /**
   * The cached GID.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @param index 0 to {@link PortAttr#gidTableLen} - 1
   * @return the GID, {@link Gid#ZERO} for an empty entry
   */
  @AnyContext
  public abstract Gid gid(int port, int index);

  /**
   * The cached P_Key.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @param index 0 to {@link PortAttr#pkeyTableLen} - 1
   * @return 16 bits, 0 for an empty entry
   */
  @AnyContext
  public abstract int pkey(int port, int index);

  /**
   * Finds a P_Key in the cache; a full member entry is preferred to a limited one.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @param pkey 16 bits; the membership bit is ignored
   * @return the index, or -1
   */
  @AnyContext
  public final int findPkey(int port, int pkey) {
    int limited = -1;
    int length = port(port).pkeyTableLen();
    for (int i = 0; i < length; i++) {
      int entry = pkey(port, i);
      if ((entry & 0x7fff) == (pkey & 0x7fff) && (entry & 0x7fff) != 0) {
        if ((entry & 0x8000) != 0) {
          return i;
        }
        limited = limited < 0 ? i : limited;
      }
    }
    return limited;
  }

  /**
   * Finds a GID in the cache.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @param gid the GID
   * @return the index, or -1
   */
  @AnyContext
  public final int findGid(int port, Gid gid) {
    int length = port(port).gidTableLen();
    for (int i = 0; i < length; i++) {
      if (gid(port, i).equals(gid)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Changes port attributes (IBA 11.2.1.3). When this returns, {@link #port} has the change. A
   * failure may come after the change: then {@link #queryPort} says what the port is.
   *
   * @param port 1 to {@link DeviceInfo#portCount}
   * @param change what to change
   */
  @MaySleep
  public abstract void modifyPort(int port, PortModify change);

  /** {@return the name, for example {@code soft0}} */
  @AnyContext
  public final String name() {
    return info().name();
  }

  /** {@return the node GUID} */
  @AnyContext
  public final long nodeGuid() {
    return info().nodeGuid();
  }

  /** {@return the number of ports} */
  @AnyContext
  public final int portCount() {
    return info().portCount();
  }

  /**
   * Asks for a capability.
   *
   * @param cap the capability
   * @return whether the device has it
   */
  @AnyContext
  public final boolean has(Cap cap) {
    return attrs().has(cap);
  }

  /** {@return the number of completion vectors} */
  @AnyContext
  public final int completionVectors() {
    return (int) Math.max(1, attrs().limit(Limit.NUM_COMP_VECTORS));
  }

  /**
   * Allocates a protection domain.
   *
   * @return the domain; the caller closes it
   * @throws IbNoMemoryException when the device has no more, or the client may have no more
   */
  @MaySleep
  public final ProtectionDomain allocPd() {
    ObjectControl self = control();
    self.enter("allocPd");
    return Creation.run(self, Kind.PD, this::doAllocPd);
  }

  /**
   * Creates a raw completion queue with its own handlers (S47-S49); most users want {@link
   * #allocCq}.
   *
   * @param init size, vector, handlers and context
   * @return the queue; the caller closes it
   * @throws IbInvalidException when size or vector are out of range
   * @throws IbNoMemoryException when the device or the process has no more, or the client may have
   *     no more
   */
  @MaySleep
  public final CompletionQueue createCq(CqInit init) {
    ObjectControl self = control();
    self.enter("createCq");
    self.given(init, "createCq", "init").check(this);
    return Creation.run(
        self,
        Kind.CQ,
        c -> {
          c.grow(Amount.CQ_ENTRIES, init.entries());
          return doCreateCq(c, init.guarded(c));
        });
  }

  /**
   * Allocates a managed completion queue: the core polls it and calls {@link Cqe#done} of every
   * completed request.
   *
   * @param cqe least number of entries, at least 1
   * @param vector completion vector, 0 to {@link #completionVectors} - 1
   * @param context where {@code done} runs
   * @return the queue; the caller closes it
   */
  @MaySleep
  public final CompletionQueue allocCq(int cqe, int vector, PollContext context) {
    IbInvalidException.given(context, "allocCq", "context");
    return createCq(CqInit.managed(cqe, vector, context));
  }

  /**
   * Registers a handler of unaffiliated events; it hears every event from now on, in order, once.
   *
   * @param handler made for this device
   * @throws IbInvalidException when it is registered already or made for another device
   */
  @MaySleep
  public abstract void registerEventHandler(IbEventHandler handler);

  /**
   * Unregisters a handler: when this returns it does not run and will not run (S43). From inside
   * the handler itself the fence is deferred until it returns (CC-17). Unknown handlers are
   * ignored.
   *
   * @param handler the handler
   * @throws IbDeadlockException when its call waits, in the end, for the caller: it is not called
   *     again, but its call has not ended
   * @throws IbTimedOutException when its call does not return within the watchdog's deadline: it is
   *     not called again
   */
  @MaySleep
  @Fence
  public abstract void unregisterEventHandler(IbEventHandler handler);

  /** Refuses what the device cannot do. */
  final void requireCap(Cap cap, String method) {
    if (!has(cap)) {
      throw new IbNotSupportedException(
          name() + "." + method,
          "the device does not have " + cap,
          "IbDevice.has(Cap." + cap + ")");
    }
  }

  /** {@return the core's book of this handle; a service object has none and refuses} */
  protected abstract ObjectControl control();

  /**
   * Lets the driver make a protection domain.
   *
   * @param control the book of the new object
   * @return the driver's object
   */
  protected abstract ProtectionDomain doAllocPd(ObjectControl control);

  /**
   * Lets the driver make a completion queue.
   *
   * @param control the book of the new object
   * @param init the attributes, checked
   * @return the driver's object
   */
  protected abstract CompletionQueue doCreateCq(ObjectControl control, CqInit init);

  @Override
  public String toString() {
    return name();
  }
}
