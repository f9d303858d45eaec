package ib.engine.cq;

import ib.core.verbs.Cqe;
import org.jspecify.annotations.Nullable;

/**
 * The current entry of the lazy form of polling, in an object of its own, since what a poller
 * writes shall not lie beside what producers read.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
final class PolledEntry {
  long a0, a1, a2, a3, a4, a5, a6;
  long wrId;
  long what;
  long lengths;
  long numbers;
  long path;
  long b0, b1, b2, b3, b4, b5, b6;
  @Nullable Cqe cqe;

  /** Copies a valid entry. */
  void read(CompletionRing ring, long index) {
    wrId = ring.word(index, Entry.WR_ID);
    what = ring.word(index, Entry.WHAT);
    lengths = ring.word(index, Entry.LENGTHS);
    numbers = ring.word(index, Entry.NUMBERS);
    path = ring.word(index, Entry.PATH);
    Cqe callback = ring.cqe(index);
    if (callback != null || cqe != null) { // a reference store costs a barrier
      cqe = callback;
    }
  }
}
