package ib.driver.rxe.udp;

import ib.engine.wire.Packet;
import ib.engine.wire.RoceCodec;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** What one thread needs to send: room for a datagram, and a codec. Claimed for one packet. */
final class Sender {
  /** Bytes of the longest datagram: 4096 of payload, BTH, and what may follow it. */
  static final int BYTES = 4096 + 256;

  final MemorySegment bytes;
  final ByteBuffer view;
  final int index;
  private final Message message;
  private final IpHeaders headers = new IpHeaders();
  private final RoceCodec codec = new RoceCodec();

  Sender(int index, MemorySegment bytes, MemorySegment message) {
    this.index = index;
    this.bytes = bytes;
    this.view = bytes.asByteBuffer();
    this.message = new Message(message, bytes);
  }

  /** {@return where errno is} */
  MemorySegment state() {
    return message.state();
  }

  /** Describes what lies in the bytes for the system; returns where. */
  long message(
      NativeEndpoint from, int length, Endpoint.Destination to, int trafficClass, int hopLimit) {
    return message.write(from, length, to.high(), to.low(), trafficClass, hopLimit);
  }

  /**
   * Writes a packet as the datagram that goes over a socket.
   *
   * @param p the packet
   * @param from the endpoint
   * @param sourcePort its UDP port
   * @return bytes, or a refusal of the codec
   */
  int encode(Packet p, Endpoint from, int sourcePort) {
    headers.write(
        from.network,
        from.gid.high(),
        from.gid.low(),
        p.dgidHigh,
        p.dgidLow,
        sourcePort,
        from.port);
    return codec.encodeDatagram(p, from.network, headers.bytes(), 0, bytes, 0);
  }
}
