package ib.verifier.check;

import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * The threads inside of objects that are for one thread at a time (S16, S17). A visit is in its
 * queue only while a thread is inside.
 *
 * <p>The probes run in methods that any context may call, so nothing here may block. A {@code
 * ConcurrentHashMap} does: it puts and removes under the monitor of a bin, which other objects
 * share.
 */
final class OneThread {
  private static final String ADVICE =
      "one thread at a time: an object for each thread, or a lock of your own around its use";

  private static final int QUEUES = 1 << 10; // so that few threads meet in one

  private final Reports reports;
  private final List<Queue<Visit>> queues =
      Stream.<Queue<Visit>>generate(ConcurrentLinkedQueue::new).limit(QUEUES).toList();

  OneThread(Reports reports) {
    this.reports = reports;
  }

  /**
   * The calling thread is about to call a method of an object. Of two threads that come at the same
   * time, the one that is second in the queue is reported.
   */
  @SuppressWarnings("ReferenceEquality") // an object is itself, whatever its equals says
  void begin(Object object, String call, String culprit) {
    Queue<Visit> visits = queue(object);
    Visit mine = new Visit(object, Thread.currentThread(), call);
    visits.add(mine);
    for (Visit v : visits) {
      if (v == mine) {
        return;
      }
      if (v.object == object && !v.thread.equals(mine.thread)) {
        List<String> theirs =
            Arrays.stream(v.thread.getStackTrace()).map(StackTraceElement::toString).toList();
        String text =
            "%s was called on an object while thread %s is inside its %s"
                .formatted(call, v.thread.getName(), v.call);
        reports.report("S16", culprit, text, ADVICE, Reports.here(), theirs);
        return;
      }
    }
  }

  /** The calling thread has left the method. */
  @SuppressWarnings("ReferenceEquality")
  void end(Object object) {
    Thread me = Thread.currentThread();
    Queue<Visit> visits = queue(object);
    for (Visit v : visits) {
      if (v.object == object && v.thread.equals(me)) {
        visits.remove(v);
        return;
      }
    }
  }

  private Queue<Visit> queue(Object object) {
    return queues.get(System.identityHashCode(object) & QUEUES - 1);
  }

  /** A stay of a thread in a method of an object. */
  private static final class Visit {
    private final Object object;
    private final Thread thread;
    private final String call;

    Visit(Object object, Thread thread, String call) {
      this.object = object;
      this.thread = thread;
      this.call = call;
    }
  }
}
