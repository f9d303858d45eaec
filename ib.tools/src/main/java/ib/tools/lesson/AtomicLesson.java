package ib.tools.lesson;

import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;

/** An addition and a comparison in the peer's memory. */
final class AtomicLesson {
  private static final long BEGIN = 40;
  private static final long ADDED = 2;
  private static final long SWAPPED = 1000;

  static final Lesson LESSON =
      new Lesson(
          "atomic",
          "atomics, 8 bytes of the peer that are read and changed in one step",
          """
          The peer's memory holds a number. FETCH_ADD adds to it, COMPARE_SWAP replaces it
          if it is what the requester expects; both return what the number was before. The
          peer's adapter does each as one step, so that many requesters can share a
          counter or a lock. The peer's program is not involved.""",
          AtomicLesson::run,
          Lesson.TWO);

  private AtomicLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    QueuePairs.connect(a.qp, b.qp);
    b.memory.segment().set(ValueLayout.JAVA_LONG, 0, BEGIN);
    int rkey = b.memory.rkey();
    long at = b.memory.iova();
    stage.watch("lesson0", Filter.ALL);
    a.post(a.request(1).wrAtomicFetchAdd(rkey, at, ADDED), Long.BYTES);
    report(stage, a, "FETCH_ADD " + ADDED);
    a.post(a.request(2).wrAtomicCmpSwp(rkey, at, BEGIN + ADDED, SWAPPED), Long.BYTES);
    report(stage, a, "COMPARE_SWAP " + (BEGIN + ADDED) + " by " + SWAPPED);
    a.post(a.request(3).wrAtomicCmpSwp(rkey, at, BEGIN, 0), Long.BYTES);
    report(stage, a, "COMPARE_SWAP " + BEGIN + " by 0");
    stage.stop();
    stage.say("lesson1: the number is %d", b.memory.segment().get(ValueLayout.JAVA_LONG, 0));
    stage.lookAt(
        "\"was %d\" in the first RC_ATOMIC_ACKNOWLEDGE: the value before the addition", BEGIN);
    stage.lookAt(
        "the third request expects %d but the answer is %d: nothing was swapped, and its"
            + " completion is SUCCESS all the same",
        BEGIN, SWAPPED);
    stage.lookAt("each request has its own answer: an atomic is never acknowledged with others");
  }

  private static void report(Stage stage, Party a, String what) {
    WorkCompletion done = a.completion();
    stage.say(
        "lesson0: request %d, %s, completed with %s; it was %d",
        done.wrId(), what, done.status(), a.memory.segment().get(ValueLayout.JAVA_LONG, 0));
  }
}
