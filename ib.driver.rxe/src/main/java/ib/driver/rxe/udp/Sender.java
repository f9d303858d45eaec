package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.engine.wire.DatagramCodec;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Outbox;
import ib.engine.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory and codec with which one run of the engine sends. One run at a time uses a sender,
 * between {@link Senders#claim} and {@link #flush}.
 */
abstract class Sender implements Outbox {
  /** Bytes of the longest datagram: 4096 of payload, and all headers. */
  static final int BYTES = 4096 + 256;

  /** The hop limit of unicast packets, unless a packet sets another. */
  static final int HOPS = 64;

  /** The hop limit of multicast packets, unless a packet sets another. */
  static final int GROUP_HOPS = 1;

  final int index;
  final UdpCounters counters;
  private final Senders home;
  private final DatagramCodec codec;
  private final IpHeaders headers = new IpHeaders();

  /**
   * Creates a sender that is claimed.
   *
   * @param home the table of the sender
   * @param index index in the table
   * @param counters counts what is sent
   * @param options options of the packet format
   */
  Sender(Senders home, int index, UdpCounters counters, UdpOptions options) {
    this.codec = new DatagramCodec(options.has(Quirk.FLUSH_ICRC));
    this.home = home;
    this.index = index;
    this.counters = counters;
  }

  /**
   * Encodes a packet and sends it now, or at the latest in {@link #send}. Does not block.
   *
   * @param p the packet, which is not used after the return
   * @param main endpoint of the packet's source address
   * @param by endpoint to send from: {@code main}, or one for another source port
   * @return the counter of the reason why it is not sent; null if it is
   */
  abstract @Nullable UdpCounter add(Packet p, Endpoint main, Endpoint by);

  /** {@return the hop limit of a packet that does not set one} */
  static int hops(Packet p) {
    boolean four = p.dgidHigh == 0 && p.dgidLow >>> 32 == 0xffff;
    boolean group = four ? (p.dgidLow & 0xf000_0000L) == 0xe000_0000L : p.dgidHigh >>> 56 == 0xff;
    return group ? GROUP_HOPS : HOPS;
  }

  /**
   * Sets in a packet that is handed over in memory what the receiver of a datagram would see of the
   * network.
   */
  final void carry(Packet p, Icrc.Network network) {
    p.slid = 0;
    p.sl = 0;
    p.congested = Ecn.isCongested(p.trafficClass);
    if (p.hopLimit <= 1) {
      p.hopLimit = HOPS; // the system's
    }
    if (network == Icrc.Network.IPV4) {
      p.flowLabel = 0;
    }
    if ((p.opcode & 0xe0) == BthOpcode.Service.UD.bits()) {
      p.sourcePort = 0;
      p.identification = 0;
      headers.write(p, network, 0);
      headers.length(network, DatagramCodec.length(p));
      p.networkHeader = p.headerSpace();
      headers.store(p, network, p.networkHeader);
    }
  }

  /** Sends the packets that were added and not sent yet. */
  abstract void send();

  /** Sends the packets that were added, and returns this sender to its table. */
  @Override
  public final void flush() {
    send();
    home.giveBack(this);
  }

  /** Frees the memory. */
  abstract void free();

  /**
   * Writes a packet's datagram, and sets the packet's source port, identification and ICRC.
   *
   * @param p the packet
   * @param by endpoint to send from
   * @param id IPv4 identification that the system will use
   * @param to memory for the datagram
   * @param view the same memory as a buffer
   * @param at offset of the first byte
   * @return length in bytes, or a negative error of the codec
   */
  final int encode(Packet p, Endpoint by, int id, MemorySegment to, ByteBuffer view, long at) {
    codec.flow(
        by.network, by.gid.high(), by.gid.low(), p.dgidHigh, p.dgidLow, by.localPort, by.port, id);
    int length = codec.encode(p, to, view, at);
    if (length == LinkCodec.PAYLOAD_GONE) {
      p.fault();
    }
    if (length > 0) {
      p.sourcePort = by.localPort;
      p.identification = id;
      p.icrc = Icrc.load(to, at + length - Icrc.BYTES);
    }
    return length;
  }
}
