package ib.ulp.ipoib.link;

import ib.core.verbs.AddressHandle;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Long packets of a host, which lie in registered memory already (D9). On the loop. */
public final class LongSends {
  private final Link link;
  private final UdQueue queue;
  private final ConnectedMode connected;

  LongSends(Link link, UdQueue queue, ConnectedMode connected) {
    this.link = link;
    this.queue = queue;
    this.connected = connected;
  }

  /** {@return where they lie, null when there is no such place} */
  @Nullable LongBuffers buffers() {
    return queue.longs();
  }

  /**
   * Where the host is to read its next frame to: another place after each one that was sent.
   *
   * @return the memory, or null when the device cuts nothing, or the link ends
   */
  public @Nullable MemorySegment space() {
    LongBuffers buffers = queue.makeLongs();
    return buffers == null ? null : buffers.current();
  }

  /**
   * Sends a TCP segment to one neighbour that the device is to cut.
   *
   * @param packet lies in {@link #space}, with at least 4 bytes before it
   * @return false when the host must cut: the neighbour is not to be reached so, or not known yet
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
