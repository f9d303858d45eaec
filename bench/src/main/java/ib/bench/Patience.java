package ib.bench;

/** A wait for another thread that spins, but not for ever: a benchmark that is stuck fails. */
final class Patience {
  private static final long MAX_NS = 10_000_000_000L;
  private static final int LOOK_EVERY = 1 << 12;

  private final String what;
  private int spins;
  private long startNs;

  Patience(String what) {
    this.what = what;
  }

  /** What was waited for has come. */
  void rest() {
    spins = 0;
  }

  /** One more turn without it. */
  void spin() {
    Thread.onSpinWait();
    if (++spins % LOOK_EVERY == 0) {
      long now = System.nanoTime();
      if (spins == LOOK_EVERY) {
        startNs = now;
      } else if (now - startNs > MAX_NS) {
        throw new IllegalStateException(what + ": nothing for 10 s");
      }
    }
  }
}
