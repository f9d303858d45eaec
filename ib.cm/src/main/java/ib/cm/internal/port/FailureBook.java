package ib.cm.internal.port;

import ib.cm.CmFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest failures; a new one takes the place of the oldest. Any thread may call. */
final class FailureBook {
  static final int MAX_FAILURES = 64;

  private final Deque<CmFailure> latest = new ArrayDeque<>(); // guarded by this; oldest first

  synchronized void enter(CmFailure failure) {
    if (latest.size() == MAX_FAILURES) {
      latest.removeFirst();
    }
    latest.addLast(failure);
  }

  synchronized List<CmFailure> latest() {
    return List.copyOf(latest);
  }
}
