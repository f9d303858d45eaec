package ib.verifier.check;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The threads inside of objects that are for one thread at a time (S16, S17). An object is in the
 * map only while a thread is inside.
 */
final class OneThread {
  private static final String ADVICE =
      "one thread at a time: an object for each thread, or a lock of your own around its use";

  private final Reports reports;
  private final ConcurrentMap<Same, Inside> inside = new ConcurrentHashMap<>();

  OneThread(Reports reports) {
    this.reports = reports;
  }

  /** The calling thread is about to call a method of an object. */
  void begin(Object object, String call, String culprit) {
    Thread me = Thread.currentThread();
    Inside other = inside.putIfAbsent(new Same(object), new Inside(me, call));
    if (other == null) {
      return;
    }
    if (other.thread.equals(me)) {
      other.depth++;
      return;
    }
    List<String> theirs =
        Arrays.stream(other.thread.getStackTrace()).map(StackTraceElement::toString).toList();
    String text =
        "%s was called on an object while thread %s is inside its %s"
            .formatted(call, other.thread.getName(), other.call);
    reports.report("S16", culprit, text, ADVICE, Reports.here(), theirs);
  }

  /** The calling thread has left the method. */
  void end(Object object) {
    Same key = new Same(object);
    Inside mine = inside.get(key);
    if (mine != null && mine.thread.equals(Thread.currentThread()) && --mine.depth == 0) {
      inside.remove(key);
    }
  }

  /** An object as a key: itself, whatever its equals says. */
  private record Same(Object object) {
    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean equals(Object other) {
      return other instanceof Same same && same.object == object;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(object);
    }
  }

  private static final class Inside {
    private final Thread thread;
    private final String call;
    private int depth = 1; // only its thread reads and writes it

    Inside(Thread thread, String call) {
      this.thread = thread;
      this.call = call;
    }
  }
}
