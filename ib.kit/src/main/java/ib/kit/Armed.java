package ib.kit;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.QpType;
import org.junit.jupiter.api.Assertions;

/** One queue with a probe, and completions on it at will. */
record Armed(Probe probe, CompletionQueue cq, Flood flood) {
  static Armed of(Trial t, Probe probe) {
    End a = t.end(t.left(), Shape.of(QpType.RC));
    CompletionQueue cq = t.later(probe.cq(t.left()));
    return new Armed(probe, cq, t.later(new Flood(a, cq, 1, 1)));
  }

  /** Waits until earlier calls have been made, by waiting for the end of a later call. */
  void settle(int expected) {
    probe.arm(cq);
    flood.one(99);
    probe.awaitCalls(expected + 1);
    Assertions.assertEquals(expected + 1, probe.calls(), "calls of the handler");
  }
}
