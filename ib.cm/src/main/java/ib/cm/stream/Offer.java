package ib.cm.stream;

import ib.core.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A region that this side offers the peer for direct writes. */
final class Offer implements Message {
  private final StreamQueue queue;
  private final MemorySegment memory;
  private final long offset;
  private int index = -1;
  private boolean sent;

  Offer(StreamQueue queue, MemorySegment memory, long offset) {
    this.queue = queue;
    this.memory = memory;
    this.offset = offset;
  }

  @Override
  public boolean send(Traffic by) throws IOException {
    if (!by.takes()) {
      return false;
    }
    MemoryRegion region = queue.register(memory);
    index = by.regions.enter(region);
    if (index < 0) {
      region.close();
      throw new IOException("the peer has no space for another region");
    }
    by.offer(index, offset, region);
    sent = true;
    return true;
  }

  @Override
  public boolean complete() {
    return sent;
  }

  int index() {
    return index;
  }
}
