package ib.driver.verbs.object;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.spi.QpDiagnosis.Change;
import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue pair as the driver knows it: what was set, what an event or a failed
 * completion says, or what the kernel has answered last. It keeps how the state came about, for
 * {@code ib:why}.
 */
final class LastState {
  private static final int MAX_CHANGES = 16; // of a report

  volatile QpState now = QpState.RESET;

  @GuardedBy("this")
  private final ArrayDeque<Change> changes = new ArrayDeque<>();

  private volatile int failure; // the first since the queue pair was in RESET; 0 without one
  private volatile long failedNs; // these two are written before it
  private volatile QpState failedTo = QpState.ERR;

  /** A call has moved the queue pair. */
  void moved(QpState to) {
    now = to;
    if (to == QpState.RESET) {
      failure = 0;
    }
    enter(new Change(System.nanoTime(), to, "modify"));
  }

  /** An event of the kernel. */
  void heard(EventType event) {
    enter(new Change(System.nanoTime(), now, "event " + event));
  }

  private synchronized void enter(Change change) {
    if (changes.size() == MAX_CHANGES) {
      changes.removeFirst();
    }
    changes.add(change);
  }

  /** A request has failed; data path. The reader of the completions calls, one at a time. */
  void failed(int status, QpState to) {
    if (failure == 0 && status != WcStatus.WR_FLUSH_ERR.value()) {
      failedNs = System.nanoTime();
      failedTo = to;
      failure = status;
    }
    now = to;
  }

  /** {@return why the first request has failed; null when none has, or by a flush only} */
  @Nullable WcStatus failure() {
    int status = failure;
    if (status == 0) {
      return null;
    }
    return status > 0 && status < WcStatus.GENERAL_ERR.value()
        ? WcStatus.of(status)
        : WcStatus.GENERAL_ERR;
  }

  /** {@return the latest changes, the oldest first} */
  List<Change> history() {
    List<Change> all;
    synchronized (this) {
      all = new ArrayList<>(changes);
    }
    WcStatus why = failure();
    if (why != null) {
      all.add(new Change(failedNs, failedTo, "a request has failed: " + why.label()));
      all.sort(Comparator.comparingLong(Change::ns)); // nanoTime of one run of a JVM
    }
    return all.subList(Math.max(0, all.size() - MAX_CHANGES), all.size());
  }
}
