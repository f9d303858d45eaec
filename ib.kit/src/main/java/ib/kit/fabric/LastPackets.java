package ib.kit.fabric;

import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.EthernetHeader;
import ib.core.wire.Grh;
import ib.core.wire.Ipv4Header;
import ib.core.wire.Lrh;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Takes the stream of a {@code ib.core.spi.PacketCapture}, and keeps a line for each of the last
 * packets. A thread of the driver writes, any thread reads; guarded by this object's monitor.
 */
final class LastPackets implements WritableByteChannel {
  private static final int INTERFACE = 1;
  private static final int ENHANCED_PACKET = 6;
  private static final int MIN_BLOCK = 12;
  private static final int HEAD = 28; // of an enhanced packet, before the bytes of the packet
  private static final int COMMENT = 1;
  private static final int FLAGS = 2;
  private static final int INCOMING = 1;
  private static final int LINK_ERF = 197;
  private static final int ERF_BYTES = 16;
  private static final int IPV6_BYTES = 40;

  /** One packet. */
  private record Packet(long timeNs, boolean incoming, String text, String comment) {}

  private final int most;
  private final Deque<Packet> last = new ArrayDeque<>();
  private final List<Integer> links = new ArrayList<>(); // link type of each interface
  private ByteBuffer rest = ByteBuffer.allocate(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
  private long seen;
  private boolean open = true;

  LastPackets(int most) {
    this.most = most;
  }

  @Override
  public synchronized int write(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (rest.remaining() < length) {
      int room = Math.max(2 * rest.capacity(), rest.position() + length);
      rest = ByteBuffer.allocate(room).order(ByteOrder.LITTLE_ENDIAN).put(rest.flip());
    }
    rest.put(bytes).flip();
    while (rest.remaining() >= MIN_BLOCK
        && rest.remaining() >= rest.getInt(rest.position() + Integer.BYTES)) {
      int end = rest.position() + rest.getInt(rest.position() + Integer.BYTES);
      block(rest.slice(rest.position(), end - rest.position()).order(ByteOrder.LITTLE_ENDIAN));
      rest.position(end);
    }
    rest.compact();
    return length;
  }

  private void block(ByteBuffer block) {
    switch (block.getInt(0)) {
      case INTERFACE -> links.add((int) block.getShort(2 * Integer.BYTES));
      case ENHANCED_PACKET -> packet(block);
      default -> {
        // no packet
      }
    }
  }

  private void packet(ByteBuffer block) {
    long time = (long) block.getInt(12) << 32 | block.getInt(16) & 0xffff_ffffL;
    int length = block.getInt(20);
    String comment = "";
    boolean incoming = false;
    for (int at = HEAD + (length + 3 & ~3); at + Integer.BYTES <= block.capacity(); ) {
      int code = block.getShort(at);
      int size = block.getShort(at + 2) & 0xffff;
      if (code == COMMENT) {
        byte[] text = new byte[size];
        block.get(at + Integer.BYTES, text);
        comment = new String(text, StandardCharsets.UTF_8);
      } else if (code == FLAGS) {
        incoming = (block.getInt(at + Integer.BYTES) & 3) == INCOMING;
      } else if (code == 0) {
        break;
      }
      at += Integer.BYTES + (size + 3 & ~3);
    }
    boolean erf = links.get(block.getInt(8)) == LINK_ERF;
    MemorySegment bytes = MemorySegment.ofBuffer(block.slice(HEAD, length));
    seen++;
    last.addLast(new Packet(time, incoming, text(bytes, erf), comment));
    if (last.size() > most) {
      last.removeFirst();
    }
  }

  private static String text(MemorySegment bytes, boolean erf) {
    long start = erf ? ERF_BYTES : 0;
    long at = erf ? start + infiniband(bytes, start) : ethernet(bytes);
    if (bytes.byteSize() < at + Bth.BYTES) {
      return bytes.byteSize() - start + " bytes";
    }
    Bth bth = new Bth();
    bth.wrap(bytes, at);
    BthOpcode opcode = BthOpcode.of(bth.opcode());
    return String.format(
        "%s to QP 0x%06x, PSN 0x%06x, %d bytes",
        opcode == null ? String.format("opcode 0x%02x", bth.opcode()) : opcode,
        bth.destQp(),
        bth.psn(),
        bytes.byteSize() - start);
  }

  private static long infiniband(MemorySegment bytes, long start) {
    if (bytes.byteSize() < start + Lrh.BYTES) {
      return Lrh.BYTES;
    }
    Lrh lrh = new Lrh();
    lrh.wrap(bytes, start);
    return lrh.lnh() == Lrh.LNH_GLOBAL ? Lrh.BYTES + Grh.BYTES : Lrh.BYTES;
  }

  private static long ethernet(MemorySegment bytes) {
    if (bytes.byteSize() < EthernetHeader.BYTES) {
      return EthernetHeader.BYTES;
    }
    EthernetHeader header = new EthernetHeader();
    header.wrap(bytes, 0);
    int ip = header.etherType() == EthernetHeader.IPV6 ? IPV6_BYTES : Ipv4Header.BYTES;
    return (long) EthernetHeader.BYTES + ip + UdpHeader.BYTES;
  }

  /** {@return how many packets there were} */
  synchronized long seen() {
    return seen;
  }

  /** {@return a line for each of the last packets, with its time since the first of them} */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Packet p : last) {
      double us = (p.timeNs - last.getFirst().timeNs) / 1000.0;
      String way = p.incoming ? "in " : "out";
      lines.add(String.format(Locale.ROOT, "%+10.1f us %s %s; %s", us, way, p.text, p.comment));
    }
    return lines;
  }

  @Override
  public synchronized boolean isOpen() {
    return open;
  }

  @Override
  public synchronized void close() {
    open = false;
  }
}
