package ib.engine.ring;

import ib.core.verbs.Cqe;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a receive request of a shared queue, laid out as a {@link ReceiveSlot}; one per queue
 * pair that uses the shared queue, reused.
 */
public final class HeldReceive {
  final long[] words;
  @Nullable Cqe cqe;

  /**
   * Makes an empty request.
   *
   * @param sgeMost greatest number of elements
   */
  public HeldReceive(int sgeMost) {
    words = new long[ReceiveSlot.words(sgeMost)];
  }

  /** {@return the words, those of a slot from the first on} */
  public long[] words() {
    return words;
  }

  /** {@return the callback of a managed queue, or null} */
  public @Nullable Cqe cqe() {
    return cqe;
  }
}
