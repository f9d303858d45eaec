package ib.tools.pingpong;

import ib.tools.output.Json;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a run; its text is the last two lines of the original, after the addresses.
 *
 * @param locals the addresses of this end, one per queue pair
 * @param remotes the addresses of the peer, one per queue pair
 * @param bytes bytes of all messages in both directions
 * @param iters the number of exchanges
 * @param seconds duration in seconds
 * @param ticks what the text says of the completions' timestamps
 * @param asJson whether the text is JSON
 */
public record Figures(
    List<Address> locals,
    List<Address> remotes,
    long bytes,
    int iters,
    double seconds,
    String ticks,
    boolean asJson)
    implements Printable, JsonView {
  /** Copies the lists. */
  public Figures {
    locals = List.copyOf(locals);
    remotes = List.copyOf(remotes);
  }

  /** {@return megabits per second, both directions together} */
  public double mbitPerSecond() {
    return bytes * 8 / seconds / 1e6;
  }

  /** {@return microseconds per exchange} */
  public double usecPerIter() {
    return seconds * 1e6 / iters;
  }

  @Override
  public String text() {
    if (asJson) {
      return Json.write(this, false);
    }
    return String.format(
            Locale.ROOT,
            "%d bytes in %.2f seconds = %.2f Mbit/sec\n%d iters in %.2f seconds = %.2f usec/iter",
            bytes,
            seconds,
            mbitPerSecond(),
            iters,
            seconds,
            usecPerIter())
        + ticks;
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("local", locals.size() == 1 ? locals.getFirst() : locals);
    json.put("remote", remotes.size() == 1 ? remotes.getFirst() : remotes);
    json.put("bytes", bytes);
    json.put("iters", iters);
    json.put("seconds", seconds);
    json.put("mbit_per_sec", mbitPerSecond());
    json.put("usec_per_iter", usecPerIter());
    return json;
  }
}
