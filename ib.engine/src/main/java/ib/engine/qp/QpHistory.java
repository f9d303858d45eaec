package ib.engine.qp;

import ib.core.spi.QpDiagnosis.Change;
import ib.core.spi.QpDiagnosis.Note;
import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.engine.wire.Syndrome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history of a queue pair. It records only rare events, as numbers in two arrays, and makes
 * texts of them when it is asked, so that the data path pays nothing. Only the thread that holds
 * this queue pair's claim records, except that the worker calls {@link #look}, too.
 */
public abstract class QpHistory extends QpCrash {
  /** Cause of a change of state: a call of modify. */
  public static final long ASKED = 1L << 8;

  /** Cause of a change of state: the queue pair is destroyed. */
  public static final long REMOVED = 2L << 8;

  /** Cause of a change of state: an exception ended a step. */
  static final long CRASHED = 3L << 8;

  private static final long EVENT = 4L << 8; // detail: an EventType
  private static final long REFUSED = 5L << 8; // detail: a syndrome; with a PSN
  private static final long FAILED = 6L << 8; // detail: a WcStatus; with a PSN
  private static final int DETAIL = 16; // bits 16 to 31; bits 0 to 7: the new state
  private static final int PSN = 32;

  // ---- the latest of four kinds, three words each: time, count, PSN and syndrome ----
  private static final int NAK_RECEIVED = 0;
  private static final int NAK_SENT = 3;
  private static final int RNR = 6;
  private static final int TIMEOUT = 9;

  private static final int TROUBLES = 12; // words

  // ---- the changes of state, two words each: time, cause and state ----
  private static final int CHANGES = 16;
  private static final int CHANGES_INITIAL = 4; // INIT, RTR, RTS and ERR

  private static final long[] NONE = {};

  private long[] words = NONE; // the changes of state; made with the first
  private long[] troubles = NONE; // made with the first
  private long changes;
  private @Nullable WcStatus failure;
  private long pending; // why the state is about to change; 0: the caller's cause counts
  private @Nullable Throwable crash; // the first exception that ended a step

  // the worker's
  private long heardCount;
  private volatile long heardNs = -1;

  /** Makes that of a new queue pair. */
  QpHistory(QpCore qp) {
    super(qp);
  }

  // ---- what happens ----

  /**
   * Records a change of state.
   *
   * @param now the time
   * @param to the new state
   * @param cause one of the constants, or what {@link #event} returns
   */
  final void changed(long now, QpState to, long cause) {
    if (place(changes) >= words.length) {
      int n = Math.min(2 * words.length, place(CHANGES - 1) + 2);
      // without memory the next change tries again
      words = Arrays.copyOf(words, Math.max(n, 2 * CHANGES_INITIAL));
    }
    int at = place(changes);
    words[at] = now;
    words[at + 1] = to.ordinal() | (pending == 0 ? cause : pending);
    pending = 0;
    changes++;
  }

  private static int place(long change) {
    return 2 * (int) (change % CHANGES);
  }

  /** {@return the cause of a change of state that an event reports} */
  static long event(EventType type) {
    return EVENT | (long) type.ordinal() << DETAIL;
  }

  /** {@return why the latest state was entered} */
  public final String cause() {
    return changes == 0 ? "" : text(words[place(changes - 1) + 1]);
  }

  private static String text(long what) {
    int detail = (int) (what >>> DETAIL) & 0xffff;
    int psn = (int) (what >>> PSN);
    long cause = what & 0xff00;
    if (cause == REMOVED) {
      return "device or queue pair is removed";
    } else if (cause == CRASHED) {
      return "an exception inside the engine";
    } else if (cause == EVENT) {
      return EventType.values()[detail].name();
    } else if (cause == REFUSED) {
      return "refused the peer's request at PSN " + hex(psn) + ": " + Syndrome.text(detail);
    } else if (cause == FAILED) {
      return WcStatus.values()[detail].label() + " at PSN " + hex(psn);
    }
    return "modify";
  }

  /** {@return whether a call of modify asked for the latest state} */
  public final boolean isAsked() {
    return changes == 0 || (words[place(changes - 1) + 1] & 0xff00) == ASKED;
  }

  private void note(int kind, long now, int psn, int syndrome) {
    if (troubles.length == 0) {
      troubles = new long[TROUBLES];
    }
    troubles[kind] = now;
    troubles[kind + 1]++;
    troubles[kind + 2] = psn & 0xffffffffL | (long) syndrome << PSN;
  }

  private static long failing(long cause, int detail, int psn) {
    return cause | (long) detail << DETAIL | (psn & 0xffffffL) << PSN;
  }

  public final void nakReceived(long now, int psn, int syndrome) {
    if (Syndrome.kind(syndrome) == Syndrome.CLASS_RNR) {
      note(RNR, now, psn, syndrome);
    } else {
      note(NAK_RECEIVED, now, psn, syndrome);
    }
  }

  /** Records a NAK that refuses a request of the peer; the state changes next. */
  final void nakSent(long now, int psn, int syndrome) {
    note(NAK_SENT, now, psn, syndrome);
    pending = failing(REFUSED, syndrome, psn);
  }

  public final void timeout(long now, int psn) {
    note(TIMEOUT, now, psn, 0);
  }

  /** Records a request that completes with an error of its own; the state changes next. */
  public final void failed(WcStatus status, int psn) {
    failure = status;
    pending = failing(FAILED, status.ordinal(), psn);
  }

  /** Records an exception that ended a step; keeps the first of several. */
  final void crashed(Throwable why) {
    if (crash == null) {
      crash = why;
    }
  }

  /** Forgets failures and NAKs, because the queue pair was reset; keeps the changes of state. */
  public final void reset() {
    failure = null;
    pending = 0;
    crash = null;
    Arrays.fill(troubles, 0);
  }

  /** Samples the receive counter; returns whether a packet arrived since the last sample. */
  public final boolean look(long now, long received) {
    boolean heard = received != heardCount;
    if (heard) {
      heardCount = received;
      heardNs = now;
    }
    return heard;
  }

  // ---- queries ----

  public final long heardNs() {
    return heardNs;
  }

  /** {@return how the request failed that ended it, or null} */
  public final @Nullable WcStatus failure() {
    return failure;
  }

  /** {@return the exception that ended a step, with its stack, or null} */
  public final @Nullable Throwable crash() {
    return crash;
  }

  /** {@return the syndrome of the NAK that this queue pair sent last, or 0} */
  public final int refusal() {
    return syndrome(NAK_SENT);
  }

  public final long timeouts() {
    return at(TIMEOUT + 1);
  }

  private long at(int place) {
    return troubles.length == 0 ? 0 : troubles[place];
  }

  private int syndrome(int kind) {
    return (int) (at(kind + 2) >>> PSN);
  }

  public final List<Change> changes() {
    List<Change> all = new ArrayList<>();
    for (long n = Math.max(0, changes - CHANGES); n < changes; n++) {
      int at = place(n);
      long what = words[at + 1];
      all.add(new Change(words[at], QpState.values()[(int) what & 0xff], text(what)));
    }
    return all;
  }

  public final List<Note> troubles() {
    List<Note> all = new ArrayList<>();
    add(all, TIMEOUT, "timeout, PSN %s not acknowledged");
    add(all, RNR, "RNR NAK received at PSN %s");
    add(all, NAK_RECEIVED, "NAK received at PSN %s: " + Syndrome.text(syndrome(NAK_RECEIVED)));
    add(all, NAK_SENT, "NAK sent at PSN %s: " + Syndrome.text(syndrome(NAK_SENT)));
    return all;
  }

  private void add(List<Note> all, int kind, String text) {
    long count = at(kind + 1);
    if (count > 0) {
      String times = count == 1 ? "" : " (" + count + " times)";
      all.add(new Note(troubles[kind], String.format(text, hex((int) troubles[kind + 2])) + times));
    }
  }

  private static String hex(int psn) {
    return String.format("0x%06x", psn & 0xffffff);
  }
}
