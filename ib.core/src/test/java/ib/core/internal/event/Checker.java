package ib.core.internal.event;

import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Judges what one handler heard (S12): numbers without gap, repetition or inversion, but for what
 * an overflow of its own queue stands for.
 */
final class Checker {
  private final List<String> faults = new ArrayList<>();
  private long last;

  Checker(long before) {
    last = before;
  }

  static List<String> faults(List<IbEvent> heard) {
    Checker c = new Checker(0);
    for (IbEvent e : heard) {
      c.event(e.type(), e.sequence(), e.port());
    }
    return c.faults;
  }

  void event(EventType type, long sequence, int lost) {
    // the handler's own overflow carries the number of the last event it stands for, the device's
    // its own number, without a gap
    boolean bridges = type == EventType.EVENT_OVERFLOW && sequence == last + lost;
    if (sequence != last + 1 && !bridges) {
      faults.add("after " + last + " came " + sequence);
    }
    last = sequence;
  }

  List<String> faults() {
    return faults;
  }
}
