package ib.driver.rxe.udp;

import ib.core.wire.Icrc;
import ib.engine.wire.DatagramCodec;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Outbox;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What one run of the engine needs to send: room for datagrams, and a codec. Claimed for it. */
abstract class Sender implements Outbox {
  /** Bytes of the longest datagram: 4096 of payload, BTH, and what may follow it. */
  static final int BYTES = 4096 + 256;

  /** The hop limit of what is sent to one host, unless a packet says otherwise. */
  static final int HOPS = 64;

  /** The same of what is sent to a group. */
  static final int GROUP_HOPS = 1;

  final int index;
  final UdpCounters counters;
  private final Senders home;
  private final DatagramCodec codec;

  /**
   * Makes one that is claimed.
   *
   * @param home where it goes back to
   * @param index its place there
   * @param counters where it counts what it sends
   * @param options how packets look
   */
  Sender(Senders home, int index, UdpCounters counters, UdpOptions options) {
    this.codec = new DatagramCodec(options.has(Quirk.FLUSH_ICRC));
    this.home = home;
    this.index = index;
    this.counters = counters;
  }

  /**
   * Takes the bytes of a packet.
   *
   * @param p the packet, not referred to afterwards
   * @param main the endpoint of its source address
   * @param by what it leaves by: this one, or one for another source port
   * @return why it will not be sent, or null
   */
  abstract @Nullable UdpCounter add(Packet p, Endpoint main, Endpoint by);

  /** {@return the hop limit that a packet has on the wire when it leaves that to the system} */
  static int hops(Packet p) {
    boolean four = p.dgidHigh == 0 && p.dgidLow >>> 32 == 0xffff;
    boolean group = four ? (p.dgidLow & 0xf000_0000L) == 0xe000_0000L : p.dgidHigh >>> 56 == 0xff;
    return group ? GROUP_HOPS : HOPS;
  }

  /** Sends what is left. */
  abstract void send();

  /** Sends what is left, and goes back. */
  @Override
  public final void flush() {
    send();
    home.giveBack(this);
  }

  /** Frees the memory. */
  abstract void free();

  /**
   * Writes a packet as the datagram that goes over a socket, and notes in the packet how it goes.
   *
   * @param p the packet
   * @param by the endpoint that it leaves by
   * @param id IPv4 identification that the system will give it
   * @param to where to
   * @param view the same memory
   * @param at offset of its first byte
   * @return bytes, or a refusal of the codec
   */
  final int encode(Packet p, Endpoint by, int id, MemorySegment to, ByteBuffer view, long at) {
    codec.flow(
        by.network, by.gid.high(), by.gid.low(), p.dgidHigh, p.dgidLow, by.localPort, by.port, id);
    int length = codec.encode(p, to, view, at);
    p.fault |= length == LinkCodec.PAYLOAD_GONE;
    if (length > 0) {
      p.sourcePort = by.localPort;
      p.identification = id;
      p.icrc = Icrc.load(to, at + length - Icrc.BYTES);
    }
    return length;
  }
}
