package ib.engine.time;

/** A monotonic clock; one of the seams of the simulator (D4). */
@FunctionalInterface
public interface NanoClock {
  /** The clock of the machine. */
  NanoClock SYSTEM = System::nanoTime;

  /** {@return nanoseconds since any fixed moment} */
  long nanoTime();
}
