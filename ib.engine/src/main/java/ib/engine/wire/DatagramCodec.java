package ib.engine.wire;

import ib.core.wire.Bth;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Packets as a UDP socket carries them (IBA annex A17): BTH and what follows, payload, padding,
 * ICRC. The ICRC covers the IP and UDP headers as they are on the wire, so these are said before.
 * Allocates nothing once made; for one thread at a time.
 */
public final class DatagramCodec {
  private final TransportCodec transport;
  private final DatagramIcrc icrc = new DatagramIcrc();

  /**
   * Makes a codec.
   *
   * @param flushTwice whether the ICRC of a FLUSH covers its headers twice, as Linux rdma_rxe 6.12
   *     has it
   */
  public DatagramCodec(boolean flushTwice) {
    transport = new TransportCodec(flushTwice);
  }

  /**
   * How long a packet is.
   *
   * @param p the packet
   * @return bytes from BTH through ICRC, or {@link LinkCodec#NOT_A_PACKET}
   */
  public static int length(Packet p) {
    return TransportCodec.length(p);
  }

  /**
   * Says where the datagrams that follow come from and go to. Costs little when they are the same
   * as before.
   *
   * @param network IPv4 or IPv6
   * @param sourceHigh upper half of the source GID
   * @param sourceLow lower half of the source GID
   * @param destHigh upper half of the destination GID
   * @param destLow lower half of the destination GID
   * @param sourcePort UDP source port
   * @param destPort UDP destination port
   * @param id IPv4 identification of the next one, certain or probable
   */
  public void flow(
      Icrc.Network network,
      long sourceHigh,
      long sourceLow,
      long destHigh,
      long destLow,
      int sourcePort,
      int destPort,
      int id) {
    icrc.flow(network, sourceHigh, sourceLow, destHigh, destLow, sourcePort, destPort);
    icrc.identification(id);
  }

  /**
   * Writes a datagram.
   *
   * @param p the packet
   * @param to where to; alive
   * @param view the same memory, whose position and limit are changed
   * @param at offset of BTH
   * @return bytes from BTH through ICRC, or {@link LinkCodec#NO_ROOM}, {@link
   *     LinkCodec#NOT_A_PACKET} or {@link LinkCodec#PAYLOAD_GONE}; then what lies there is
   *     undefined
   */
  public int encode(Packet p, MemorySegment to, ByteBuffer view, long at) {
    int length = TransportCodec.length(p);
    if (length < 0) {
      return length;
    }
    if (at < 0 || at > to.byteSize() - length) {
      return LinkCodec.NO_ROOM;
    }
    int written = transport.write(p, to, at);
    if (written < 0) {
      return written;
    }
    transport.seal(p, icrc, to, view, at, written);
    return length;
  }

  /**
   * Corrects the ICRC of an acknowledgement that will have IPv4 identification 1 and was to have 0,
   * or the other way; what was damaged on purpose stays so.
   *
   * @param network of the datagram; nothing happens when that is IPv6
   * @param bytes the memory; alive
   * @param at offset of BTH
   * @param length bytes from BTH through ICRC
   */
  public static void renumber(Icrc.Network network, MemorySegment bytes, long at, int length) {
    if (network == Icrc.Network.IPV4) {
      long end = at + length - Icrc.BYTES;
      Icrc.store(bytes, end, Icrc.load(bytes, end) ^ DatagramIcrc.ACKNOWLEDGE_ONE_LATER);
    }
  }

  /**
   * Reads a datagram: a pure total function of the bytes and of what was said before. Nothing is
   * changed when it is dropped. The addresses of the packet are left to the caller.
   *
   * @param from the memory; alive
   * @param view the same memory, whose position and limit are changed
   * @param at offset of BTH
   * @param length bytes from BTH through ICRC
   * @param into filled when the packet is good; its payload then refers to the memory
   * @param doubt asked when the ICRC does not fit
   * @return why it is dropped, or null when it is good
   */
  public @Nullable DropReason decode(
      MemorySegment from, ByteBuffer view, long at, int length, Packet into, Doubt doubt) {
    if (at < 0 || length < Bth.BYTES + Icrc.BYTES || at > from.byteSize() - length) {
      return DropReason.SHORT;
    }
    DropReason reason = transport.check(from, at, length);
    if (reason != null) {
      return reason;
    }
    int difference = transport.difference(icrc, from, view, at, length);
    if (difference != 0 && !doubt.admits(difference, length + transport.twice(from, at))) {
      return DropReason.ICRC;
    }
    transport.read(from, at, length, into);
    return null;
  }

  /**
   * Judges a packet whose ICRC does not fit what was said, of which the identification was a guess.
   */
  @FunctionalInterface
  public interface Doubt {
    /**
     * Decides.
     *
     * @param difference the ICRC of the packet, exclusive or the one calculated; not 0
     * @param length bytes from BTH through ICRC, with those that are covered twice
     * @return whether the packet is good all the same
     */
    boolean admits(int difference, int length);
  }
}
