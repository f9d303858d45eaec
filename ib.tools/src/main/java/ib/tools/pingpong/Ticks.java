package ib.tools.pingpong;

import ib.tools.getopt.CommandException;
import java.util.Locale;

/** Times between receive completions, by the device's clock ({@code -t}). */
final class Ticks {
  private long previous;
  private long least = 0xffff_ffffL; // the original's initial value
  private long most;
  private long total;
  private int count;

  /** Adds a completion. */
  void add(long timestamp) {
    if (timestamp == 0) {
      throw new CommandException("The device isn't completion timestamp capable");
    }
    if (previous != 0) {
      long delta = timestamp - previous;
      most = Math.max(most, delta);
      least = Math.min(least, delta);
      total += delta;
      count++;
    }
    previous = timestamp;
  }

  /** {@return the lines of the original, each after a line end; empty without deltas} */
  String text() {
    return count == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "\nMax receive completion clock cycles = %d"
                + "\nMin receive completion clock cycles = %d"
                + "\nAverage receive completion clock cycles = %f",
            most,
            least,
            (double) total / count);
  }
}
