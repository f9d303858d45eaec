package ib.core.verbs;

/**
 * A memory window: a remote key for a part of a region, bound and unbound by work requests (IBA
 * 10.6.7). A type 1 window may be bound again at any time and serves all queue pairs of its domain;
 * a type 2 window (2B) serves the queue pair that bound it, until it is invalidated.
 */
public abstract non-sealed class MemoryWindow extends IbObject {

  /**
   * For drivers.
   *
   * @param control the core's book
   */
  protected MemoryWindow(ObjectControl control) {
    super(control);
  }

  /** {@return the type} */
  @AnyContext
  public abstract MwType type();

  /** {@return the remote key of the last bind that was executed; its low byte is the consumer's} */
  @AnyContext
  public abstract int rkey();
}
