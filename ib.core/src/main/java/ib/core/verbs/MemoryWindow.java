package ib.core.verbs;

/** A memory window: a remote key for a part of a region, bound and unbound by work requests. */
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

  /** {@return the current remote key, 32 bits} */
  @AnyContext
  public abstract int rkey();
}
