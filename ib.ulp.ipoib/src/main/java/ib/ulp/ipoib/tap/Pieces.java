package ib.ulp.ipoib.tap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The iovec array of one frame for writev(2), reused for each frame. */
final class Pieces {
  private static final long EACH = 16; // struct iovec

  private final MemorySegment all;
  private int count;
  private long length;

  Pieces(Arena arena, int most) {
    all = arena.allocate(EACH * most, 8);
  }

  /** Begins a frame. */
  Pieces start(MemorySegment s, long at, long bytes) {
    count = 0;
    length = 0;
    return add(s, at, bytes);
  }

  /** Adds a piece of native memory, which must stay unchanged until {@link #give}. */
  Pieces add(MemorySegment s, long at, long bytes) {
    all.set(ValueLayout.JAVA_LONG, count * EACH, s.address() + at);
    all.set(ValueLayout.JAVA_LONG, count * EACH + 8, bytes);
    count++;
    length += bytes;
    return this;
  }

  /** Writes the frame to the kernel. {@return whether the kernel accepted it} */
  boolean give(Kernel to, int queue) {
    return to.write(queue, all, count, length);
  }
}
