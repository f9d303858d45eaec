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
   * Sends a TCP packet with the checksum of its pseudo header only to one neighbour. By datagrams,
   * the device cuts it into segments; a connection within this JVM carries it whole.
   *
   * @param packet with at least 4 bytes before it; datagrams carry it only if it is in the memory
   *     of {@link #space} and longer than one segment
   * @return false when the host must sum and cut the packet itself: the neighbour's path is unknown
   *     or uses another connection
   */
  public boolean send(LinkAddress to, Outgoing packet) {
    LinkState state = link.state();
    boolean passes = state.carrier() && packet.segmentLength() <= state.mtu();
    if (passes && connected.takeWhole(to, packet)) {
      return true;
    }
    LongBuffers buffers = queue.longs();
    boolean can =
        passes
            && packet.length() - packet.headLength() > packet.mss()
            && buffers != null
            && buffers.hold(packet.memory())
            && packet.segmentLength() <= link.datagramMtu()
            && !connected.reaches(to);
    AddressHandle ah = can ? link.ways().known(to.gid()) : null;
    if (ah != null && buffers != null) {
      link.traffic.transmitLong(ah, to, buffers, packet);
    }
    return ah != null;
  }
}
