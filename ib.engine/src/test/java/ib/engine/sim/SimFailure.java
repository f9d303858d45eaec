package ib.engine.sim;

/** A checker found something. */
public final class SimFailure extends AssertionError {
  private static final long serialVersionUID = 1;

  SimFailure(String what) {
    super(what);
  }

  SimFailure(String what, Throwable why) {
    super(what, why);
  }
}
