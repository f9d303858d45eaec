package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.WcStatus;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A {@link Flow} somewhere. */
record PartyFlow(PartyEnd end) {
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long PATIENCE_S = 600;

  /**
   * How it stands.
   *
   * @param posted requests
   * @param completed requests
   * @param wrong bytes that came back wrong, or completions that belong to no request
   * @param rounds places that were written and read back
   * @param status the first that was not a success
   */
  record Report(long posted, long completed, long wrong, long rounds, WcStatus status) {}

  private static Report parse(String text) {
    String[] w = text.split(" ");
    return new Report(
        Long.parseLong(w[0]),
        Long.parseLong(w[1]),
        Long.parseLong(w[2]),
        Long.parseLong(w[3]),
        WcStatus.valueOf(w[4]));
  }

  /** Starts one from an end to its peer. */
  static PartyFlow start(PartyEnd from, PartyEnd to) {
    from.party.tell("flow", from.name, to.rkey, to.address);
    return new PartyFlow(from);
  }

  Report now() {
    return parse(end.party.tell("report", end.name));
  }

  /** Waits until so many more rounds are done. */
  void reaches(long more) {
    long until = now().rounds + more;
    long start = System.nanoTime();
    for (Report r = now(); r.rounds < until; r = now()) {
      assertEquals(WcStatus.SUCCESS, r.status, r::toString);
      assertTrue(
          System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_S),
          "not " + until + " rounds within " + PATIENCE_S + " s: " + r);
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  /** Waits until it has ended. */
  Report settled() {
    return parse(end.party.tell("settle", end.name));
  }

  /** Stops it; all was right. */
  void ends() {
    end.party.tell("stop", end.name);
    Report r = settled();
    assertEquals(WcStatus.SUCCESS, r.status, r::toString);
    exact(r);
  }

  /** Ends by itself, since the peer is gone: every request completes once, no byte wrong. */
  void fails() {
    Report r = settled();
    assertEquals(WcStatus.RETRY_EXC_ERR, r.status, r::toString);
    exact(r);
  }

  private static void exact(Report r) {
    assertEquals(r.posted, r.completed, r::toString);
    assertEquals(0, r.wrong, r::toString);
  }
}
