package ib.ulp.ipoib.link;

import org.jspecify.annotations.Nullable;

/**
 * The long buffers that outstanding sends hold, by the slot of the send: a buffer is free again
 * when its send has completed. Used on the loop's thread only.
 */
final class HeldBuffers {
  private final int[] held; // index of the slot's buffer plus 1; 0 for none
  private @Nullable LongBuffers lender;

  HeldBuffers(int slots) {
    held = new int[slots];
  }

  /** Takes the buffer that the host has filled for the send of a slot. {@return its index} */
  int claim(LongBuffers from, int slot) {
    int buffer = from.claim();
    lender = from;
    held[slot] = buffer + 1;
    return buffer;
  }

  /** Gives back the buffer of a slot's send, if it holds one. */
  void release(int slot) {
    LongBuffers from = lender;
    if (held[slot] != 0 && from != null) {
      from.release(held[slot] - 1);
      held[slot] = 0;
    }
  }
}
