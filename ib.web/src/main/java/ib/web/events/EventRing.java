package ib.web.events;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The latest events, at most {@value #MAX_EVENTS}, with the gaps in their numbers. */
public final class EventRing {
  /** Most events that are kept. */
  public static final int MAX_EVENTS = 500;

  private static final int MAX_DEVICES = 1000;

  @GuardedBy("this")
  private final Deque<Entry> entries = new ArrayDeque<>();

  // Number by device
  @GuardedBy("this")
  private final Map<String, Long> last = new HashMap<>();

  /** Creates a ring without events. */
  public EventRing() {}

  /**
   * An event.
   *
   * @param at when it arrived here
   * @param device device name
   * @param type for example {@code PORT_ACTIVE}
   * @param where port or object, or empty
   * @param number its {@code ib.seq}, from 1; 0 for an event of an object, which has none
   * @param missing events of the device between the one before and this one that did not arrive
   */
  public record Entry(
      Instant at, String device, String type, String where, long number, long missing) {}

  /**
   * Adds an event. The number 1 begins anew: the device was plugged in again.
   *
   * @param at when it arrived
   * @param device device name
   * @param type its type
   * @param where port or object, or empty
   * @param number its number, from 1; 0 for none
   */
  public synchronized void add(Instant at, String device, String type, String where, long number) {
    long missing = 0;
    if (number > 0) {
      Long before = last.put(device, number);
      if (before != null && number > before) {
        missing = number - before - 1;
      }
      if (last.size() > MAX_DEVICES) {
        last.clear(); // names that never come again
      }
    }
    entries.addLast(new Entry(at, device, type, where, number, missing));
    if (entries.size() > MAX_EVENTS) {
      entries.removeFirst();
    }
  }

  /** {@return the events, oldest first} */
  public synchronized List<Entry> entries() {
    return new ArrayList<>(entries);
  }
}
