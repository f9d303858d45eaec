package ib.engine.qp;

import ib.core.spi.QpDiagnosis.Change;
import ib.core.spi.QpDiagnosis.Note;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.engine.wire.Syndrome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history of a queue pair. It records only rare events, so that the data path pays nothing.
 * Only the thread that holds this queue pair's claim records, except that the worker calls {@link
 * #look}, too.
 */
final class QpHistory {
  static final String ASKED = "modify";
  static final String REMOVED = "device or queue pair is removed";
  static final String CRASHED = "an exception inside the engine";
  private static final int CHANGES = 16;
  private static final int CHANGES_INITIAL = 4; // INIT, RTR, RTS and ERR

  private long[] changeNs = new long[CHANGES_INITIAL];
  private @Nullable QpState[] changeTo = new @Nullable QpState[CHANGES_INITIAL];
  private @Nullable String[] changeCause = new @Nullable String[CHANGES_INITIAL];
  private long changes;

  private final Last nakReceived = new Last();
  private final Last nakSent = new Last();
  private final Last rnr = new Last();
  private final Last timeout = new Last();
  private @Nullable WcStatus failure;
  private @Nullable String pending; // why the state is about to change
  private @Nullable Throwable crash; // the first exception that ended a step

  // the worker's
  private long heardCount;
  private volatile long heardNs = -1;

  /** The latest of its kind. */
  private static final class Last {
    long ns;
    int psn;
    int syndrome;
    long count;

    void note(long now, int atPsn, int withSyndrome) {
      ns = now;
      psn = atPsn;
      syndrome = withSyndrome;
      count++;
    }
  }

  // ---- what happens ----

  /** Records a change of state. */
  void changed(long now, QpState to, String cause) {
    if (changes == changeNs.length && changes < CHANGES) {
      grow();
    }
    int i = (int) (changes++ % CHANGES);
    String known = pending;
    changeNs[i] = now;
    changeTo[i] = to;
    changeCause[i] = known == null ? cause : known;
    pending = null;
  }

  /** Doubles the number of changes that the arrays hold. */
  private void grow() {
    int n = 2 * changeNs.length;
    long[] ns = Arrays.copyOf(changeNs, n);
    @Nullable QpState[] to = Arrays.copyOf(changeTo, n);
    changeCause = Arrays.copyOf(changeCause, n);
    changeTo = to;
    changeNs = ns; // last: when there is no memory, the next change tries again
  }

  /** {@return why the latest state was entered} */
  String cause() {
    String cause = changes == 0 ? null : at(changeCause, (int) ((changes - 1) % CHANGES));
    return cause == null ? "" : cause;
  }

  /** Reads an element on any thread, which may still see the array that is too short for it. */
  private static <T> @Nullable T at(@Nullable T[] all, int i) {
    return i < all.length ? all[i] : null;
  }

  void nakReceived(long now, int psn, int syndrome) {
    if (Syndrome.kind(syndrome) == Syndrome.CLASS_RNR) {
      rnr.note(now, psn, syndrome);
    } else {
      nakReceived.note(now, psn, syndrome);
    }
  }

  /** Records a NAK that refuses a request of the peer; the state changes next. */
  void nakSent(long now, int psn, int syndrome) {
    nakSent.note(now, psn, syndrome);
    pending = "refused the peer's request at PSN " + hex(psn) + ": " + Syndrome.text(syndrome);
  }

  void timeout(long now, int psn) {
    timeout.note(now, psn, 0);
  }

  /** Records a request that completes with an error of its own; the state changes next. */
  void failed(WcStatus status, int psn) {
    failure = status;
    pending = status.label() + " at PSN " + hex(psn);
  }

  /** Records an exception that ended a step; keeps the first of several. */
  void crashed(Throwable why) {
    if (crash == null) {
      crash = why;
    }
  }

  /** Forgets failures and NAKs, because the queue pair was reset; keeps the changes of state. */
  void reset() {
    failure = null;
    pending = null;
    crash = null;
    timeout.count = 0;
    rnr.count = 0;
    nakReceived.count = 0;
    nakSent.count = 0;
  }

  /** Samples the receive counter; returns whether a packet arrived since the last sample. */
  boolean look(long now, long received) {
    boolean heard = received != heardCount;
    if (heard) {
      heardCount = received;
      heardNs = now;
    }
    return heard;
  }

  // ---- queries ----

  long heardNs() {
    return heardNs;
  }

  /** {@return how the request failed that ended it, or null} */
  @Nullable WcStatus failure() {
    return failure;
  }

  /** {@return the exception that ended a step, with its stack, or null} */
  @Nullable Throwable crash() {
    return crash;
  }

  /** {@return the syndrome of the NAK that this queue pair sent last, or 0} */
  int refusal() {
    return nakSent.count == 0 ? 0 : nakSent.syndrome;
  }

  long timeouts() {
    return timeout.count;
  }

  List<Change> changes() {
    List<Change> all = new ArrayList<>();
    for (long n = Math.max(0, changes - CHANGES); n < changes; n++) {
      int i = (int) (n % CHANGES);
      QpState to = at(changeTo, i);
      String cause = at(changeCause, i);
      long[] ns = changeNs;
      if (to != null && cause != null && i < ns.length) {
        all.add(new Change(ns[i], to, cause));
      }
    }
    return all;
  }

  List<Note> troubles() {
    List<Note> all = new ArrayList<>();
    add(all, timeout, "timeout, PSN %s not acknowledged");
    add(all, rnr, "RNR NAK received at PSN %s");
    add(all, nakReceived, "NAK received at PSN %s: " + Syndrome.text(nakReceived.syndrome));
    add(all, nakSent, "NAK sent at PSN %s: " + Syndrome.text(nakSent.syndrome));
    return all;
  }

  private static void add(List<Note> all, Last last, String text) {
    if (last.count > 0) {
      String times = last.count == 1 ? "" : " (" + last.count + " times)";
      all.add(new Note(last.ns, String.format(text, hex(last.psn)) + times));
    }
  }

  private static String hex(int psn) {
    return String.format("0x%06x", psn & 0xffffff);
  }
}
