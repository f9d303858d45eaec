package ib.tools.pingpong;

import ib.tools.output.Json;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The result of a run; its text is the last two lines of the original, after the addresses. */
public final class Figures implements Printable, JsonView {
  private final List<Address> locals;
  private final List<Address> remotes;
  private final long bytes;
  private final int iters;
  private final double seconds;
  private final String ticks;
  private final boolean asJson;

  Figures(
      Settings settings,
      List<Address> locals,
      List<Address> remotes,
      long bytes,
      long ns,
      String ticks) {
    this.locals = List.copyOf(locals);
    this.remotes = List.copyOf(remotes);
    this.bytes = bytes;
    this.iters = settings.iters();
    this.seconds = ns / 1e9;
    this.ticks = ticks;
    this.asJson = settings.modes().json();
  }

  /** {@return the addresses of this end, one per queue pair} */
  public List<Address> locals() {
    return locals;
  }

  /** {@return the addresses of the peer, one per queue pair} */
  public List<Address> remotes() {
    return remotes;
  }

  /** {@return bytes of all messages in both directions} */
  public long bytes() {
    return bytes;
  }

  /** {@return the number of exchanges} */
  public int iters() {
    return iters;
  }

  /** {@return duration in seconds} */
  public double seconds() {
    return seconds;
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
