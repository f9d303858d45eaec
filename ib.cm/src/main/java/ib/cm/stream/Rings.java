package ib.cm.stream;

import ib.core.verbs.Access;
import ib.core.verbs.IbException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that the peer's bytes come into: a ring, and while bytes of it are left the smaller
 * one that was there before. The lock of {@link StreamEnd} guards it.
 */
final class Rings {
  private static final Logger LOG = LoggerFactory.getLogger(Rings.class);
  private static final int PAGE = 4096;

  /** A ring in a region, from a place on. */
  private record Ring(MemoryRegion region, int at) {}

  private final ProtectionDomain pd;
  private int most;
  private Ring now;
  private @Nullable Ring before;

  /**
   * Begins with a ring in memory that its owner closes.
   *
   * @param at place of the ring's first byte
   * @param most bytes of a larger one
   */
  Rings(ProtectionDomain pd, MemoryRegion region, int at, int most) {
    this.pd = pd;
    this.now = new Ring(region, at);
    this.most = most;
  }

  /** {@return the address of the ring, for the peer} */
  long address() {
    return now.region.iova() + now.at;
  }

  /** {@return the key of the ring, for the peer} */
  int key() {
    return now.region.rkey();
  }

  /**
   * Makes a larger ring, which is the one from now on, when the peer needs it, the limit allows it,
   * and there is memory for it.
   */
  void grow(Flow flow) {
    int bytes = (int) Math.min(2L * flow.ring(), most);
    if (!flow.outgrown() || bytes <= flow.ring()) {
      return;
    }
    try {
      MemoryRegion more = pd.allocMemory(bytes, PAGE, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      before = now;
      now = new Ring(more, 0);
      flow.grow(bytes);
      read(flow);
    } catch (IbException e) { // the stream goes on with what it has
      LOG.debug("a ring of {} bytes does not grow", flow.ring(), e);
      most = flow.ring();
    }
  }

  /** Takes bytes out of the ring. */
  void take(ByteBuffer into, Flow flow, int n) {
    Ring from = before == null ? now : before;
    MemorySegment to = MemorySegment.ofBuffer(into);
    long at = (long) from.at + flow.readAt();
    MemorySegment bytes = from.region.segment();
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, to, ValueLayout.JAVA_BYTE, 0, n);
    into.position(into.position() + n);
    flow.read(n);
    read(flow);
  }

  /** Frees the ring before when all of it was read. */
  private void read(Flow flow) {
    Ring old = before;
    if (old != null && !flow.readsBefore()) {
      before = null;
      close(old);
    }
  }

  private static void close(Ring old) {
    if (old.at == 0) { // the first one is a part of its owner's memory
      old.region.close();
    }
  }

  /** Frees all that is not its owner's. */
  void close() {
    if (before != null) {
      close(before);
      before = null;
    }
    close(now);
  }
}
