package ib.driver.rxe.udp;

import ib.engine.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Sends each packet at once, because a channel of Java sends one datagram per call. */
final class PortableSender extends Sender {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes = arena.allocate(BYTES, 64);
  private final ByteBuffer view = bytes.asByteBuffer();

  PortableSender(Senders home, int index, UdpCounters counters, UdpOptions options) {
    super(home, index, counters, options);
  }

  @Override
  @Nullable UdpCounter add(Packet p, Endpoint main, Endpoint by) {
    p.hopLimit = hops(p); // a channel cannot set another hop limit
    p.trafficClass = 0;
    p.flowLabel = 0;
    int length = encode(p, by, 0, bytes, view, 0);
    if (length < 0) {
      return UdpCounter.TX_ERROR;
    }
    view.limit(length).position(0);
    UdpCounter why =
        ((PortableEndpoint) by).send(view, main.peers.get(p.dgidHigh, p.dgidLow).address());
    if (why == null) {
      counters.count(UdpCounter.UDP_SENT);
    }
    return why;
  }

  @Override
  void send() {}

  @Override
  void free() {
    arena.close();
  }
}
