package ib.engine.mr;

/** A queue pair, as windows and keys know it: who may use a key. */
public interface KeyHolder {
  /** {@return the number of its protection domain} */
  int domain();

  /** {@return whether it is destroyed, so that it uses no key any more} */
  boolean dead();
}
