package ib.cm.stream;

import ib.core.verbs.AnyContext;
import ib.core.verbs.MaySleep;

/**
 * Memory of this side that the peer of a stream may write directly ({@link RdmaStream#map}). Any
 * thread may call.
 */
public final class DirectRegion implements AutoCloseable {
  private final StreamEnd end;
  private final int index;
  private final long offset;

  DirectRegion(StreamEnd end, int index, long offset) {
    this.end = end;
    this.index = index;
    this.offset = offset;
  }

  /** {@return the offset at which the peer sees the first byte} */
  @AnyContext
  public long offset() {
    return offset;
  }

  /**
   * Takes the memory back. The peer hears nothing of it: its writes fail the stream from now on. A
   * close of the stream does the same.
   */
  @Override
  @MaySleep
  public void close() {
    end.unmap(index);
  }
}
