package ib.ulp.ipoib.link;

import ib.core.verbs.AddressHandle;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends long TCP packets that a host has read into registered memory (D9). Used on the loop's
 * thread only.
 */
public final class LongSends {
  private final Link link;
  private final UdQueue queue;
  private final ConnectedMode connected;

  LongSends(Link link, UdQueue queue, ConnectedMode connected) {
    this.link = link;
    this.queue = queue;
    this.connected = connected;
  }

  /** {@return the registered buffers; null before {@link #space} has created them} */
  @Nullable LongBuffers buffers() {
    return queue.longs();
  }

  /**
   * Returns the memory that the host reads its next frame into; it changes after each frame that
   * was sent from it.
   *
   * @return the memory; null if the device does not segment, the link is closing, or all buffers
   *     are outstanding
   */
  public @Nullable MemorySegment space() {
    LongBuffers buffers = queue.makeLongs();
    return buffers == null ? null : buffers.current();
  }

  /**
   * Sends a long TCP packet to one neighbour; the device cuts it into segments.
   *
   * @param packet in the memory of {@link #space}, with at least 4 bytes before it
   * @return false when the host must cut the packet itself: the neighbour's path is unknown or uses
   *     a connection
   */
  public boolean send(LinkAddress to, Outgoing packet) {
    LongBuffers buffers = queue.longs();
    LinkState state = link.state();
    boolean can =
        buffers != null
            && buffers.hold(packet.memory())
            && state.carrier()
            && packet.segmentLength() <= Math.min(link.datagramMtu(), state.mtu())
            && !connected.reaches(to);
    AddressHandle ah = can ? link.ways().known(to.gid()) : null;
    if (ah != null && buffers != null) {
      link.traffic().transmitLong(ah, to.qpn(), buffers, packet);
    }
    return ah != null;
  }
}
