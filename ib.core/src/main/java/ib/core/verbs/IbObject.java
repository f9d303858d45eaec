package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import java.util.List;

/**
 * A verbs object: it has a device, an owner and a use count, and {@link #close} destroys it.
 *
 * <p>Use after close throws {@link IbInvalidException}. Use after the removal of the device or of
 * the owning client throws {@link IbDisassociatedException} (D2). In both cases the data path
 * returns {@link PostStatus#GONE}; no use has undefined behaviour.
 */
public abstract sealed class IbObject implements AutoCloseable
    permits ProtectionDomain,
        CompletionQueue,
        QueuePair,
        SharedReceiveQueue,
        MemoryRegion,
        MemoryWindow,
        AddressHandle {
  private final ObjectControl control;

  /**
   * For drivers.
   *
   * @param control the book that the core handed to the driver for this object
   */
  protected IbObject(ObjectControl control) {
    this.control = control;
  }

  /** {@return the core's book of this object; for the core and drivers} */
  public final ObjectControl control() {
    return control;
  }

  /** {@return the device, as its owner sees it} */
  public final IbDevice device() {
    return control.device();
  }

  /** {@return the number that introspection shows} */
  public final long id() {
    return control.id();
  }

  /** {@return how many objects use this one (S48), {@link #pins} included} */
  public final int useCount() {
    return control.useCount() + pins().size();
  }

  /** {@return the objects that use this one} */
  public final List<IbObject> users() {
    return control.users();
  }

  /**
   * {@return what else keeps it from being closed: the multicast groups that a queue pair is
   * attached to, the windows that are bound to a region}
   */
  public List<String> pins() {
    return List.of();
  }

  /**
   * Destroys the object. When it returns, no callback of the object runs or will run. A second call
   * does nothing.
   *
   * @throws IbBusyException when in use; names the users
   * @throws IbContractException from an atomic section, while checking is on
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    control.destroy();
  }

  /**
   * For drivers: releases everything. Called once, by the core, when nothing uses the object and
   * introspection no longer sees it. From then on the data path of the object returns {@link
   * PostStatus#GONE}. Must not throw.
   */
  @MaySleep
  protected abstract void doDestroy();

  /**
   * Lets the driver change a size that the client's limits count: refused before the driver hears
   * of it; what is counted is what the object has afterwards.
   */
  final void sized(Amount what, long amount, String method, Runnable driver) {
    long before = control.grow(what, amount);
    boolean done = false;
    try {
      control.run(method, driver);
      done = true;
    } finally {
      control.settle(what, done ? amount : before);
    }
  }

  /** Called after the driver has destroyed the object, to release what the core keeps for it. */
  void released() {}

  /** Destroys the object, as {@link Creation} hands it to the core. */
  void destroyNow() {
    doDestroy();
    released();
  }

  @Override
  public String toString() {
    return control.kind() + " " + control.id() + " of " + control.device().name();
  }
}
