package ib.verifier.osgi;

/** The shell command {@code ib:verifier}: what the hook has done so far. */
public final class Totals {
  private final Hook hook;

  Totals(Hook hook) {
    this.hook = hook;
  }

  /** {@return how many classes were read, how long that took, and how many could not be woven} */
  public String verifier() {
    return hook.summary();
  }
}
