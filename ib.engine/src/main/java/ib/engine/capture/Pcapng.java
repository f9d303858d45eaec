package ib.engine.capture;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes pcapng blocks: section header, interfaces, enhanced packets, statistics. For the writer
 * thread only.
 */
final class Pcapng {
  static final int LINKTYPE_ETHERNET = 1;
  static final int LINKTYPE_ERF = 197;

  private static final int SECTION_HEADER = 0x0A0D0D0A;
  private static final int INTERFACE = 1;
  private static final int STATISTICS = 5;
  private static final int ENHANCED_PACKET = 6;
  private static final int MAGIC = 0x1A2B3C4D;
  private static final int OPT_END = 0;
  private static final int OPT_COMMENT = 1;
  private static final int EPB_FLAGS = 2;
  private static final int EPB_QUEUE = 6;
  private static final int IF_NAME = 2;
  private static final int IF_TSRESOL = 9;
  private static final int SHB_USERAPPL = 4;
  private static final int ISB_IFRECV = 4;
  private static final int ISB_IFDROP = 5;
  private static final byte NANOSECONDS = 9;
  private static final int ERF_HEADER = 16;
  private static final byte ERF_INFINIBAND = 21;
  private static final byte ERF_VARIABLE_LENGTH = 4;
  private static final long SECOND = 1_000_000_000;

  private final WritableByteChannel sink;
  private final ByteBuffer block =
      ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
  private int blockStart;

  Pcapng(WritableByteChannel sink) {
    this.sink = sink;
  }

  void section() {
    begin(SECTION_HEADER);
    block.putInt(MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
    option(SHB_USERAPPL, "ib");
    end();
  }

  void linkInterface(String name, int linkType) {
    begin(INTERFACE);
    block.putShort((short) linkType).putShort((short) 0).putInt(0);
    option(IF_NAME, name);
    option(IF_TSRESOL, NANOSECONDS);
    end();
  }

  /**
   * Writes a packet.
   *
   * @param p the packet
   * @param erf whether to write an ERF header
   * @param epochNs time in nanoseconds since 1970
   * @param comment comment of the packet
   */
  void packet(CapturedPacket p, boolean erf, long epochNs, String comment) {
    int id = p.port - 1; // index of its interface
    int length = p.length;
    int captured = length + (erf ? ERF_HEADER : 0);
    begin(ENHANCED_PACKET);
    block.putInt(id).putInt((int) (epochNs >>> 32)).putInt((int) epochNs);
    block.putInt(captured).putInt(captured);
    if (erf) {
      erf(id, epochNs, length);
    }
    MemorySegment.ofBuffer(block).copyFrom(p.bytes.asSlice(0, length));
    block.position(block.position() + length);
    pad();
    option(OPT_COMMENT, comment);
    block.putShort((short) EPB_QUEUE).putShort((short) 4).putInt(p.queue);
    block.putShort((short) EPB_FLAGS).putShort((short) 4).putInt(p.incoming ? 1 : 2);
    end();
  }

  private void erf(int id, long epochNs, int length) {
    long seconds = epochNs / SECOND;
    long fraction = (epochNs % SECOND << 32) / SECOND;
    block.putLong(seconds << 32 | fraction);
    block.put(ERF_INFINIBAND).put((byte) (ERF_VARIABLE_LENGTH | id & 3));
    block.putShort(Short.reverseBytes((short) (length + ERF_HEADER)));
    block.putShort((short) 0).putShort(Short.reverseBytes((short) length));
  }

  void statistics(int id, long epochNs, long received, long dropped) {
    begin(STATISTICS);
    block.putInt(id).putInt((int) (epochNs >>> 32)).putInt((int) epochNs);
    block.putShort((short) ISB_IFRECV).putShort((short) 8).putLong(received);
    block.putShort((short) ISB_IFDROP).putShort((short) 8).putLong(dropped);
    end();
  }

  /** {@return whether the buffer lacks space for one more packet of the largest size} */
  boolean full() {
    return block.remaining() < 2 * CapturedPacket.BYTES;
  }

  /** Writes the buffer to the sink. Blocks as long as the sink does. */
  void flush() throws IOException {
    block.flip();
    while (block.hasRemaining()) {
      sink.write(block);
    }
    block.clear();
  }

  private void begin(int type) {
    blockStart = block.position();
    block.putInt(type).putInt(0);
  }

  private void end() {
    block.putShort((short) OPT_END).putShort((short) 0);
    int length = block.position() - blockStart + Integer.BYTES;
    block.putInt(length).putInt(blockStart + Integer.BYTES, length);
  }

  private void option(int code, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    block.putShort((short) code).putShort((short) bytes.length).put(bytes);
    pad();
  }

  private void option(int code, byte value) {
    block.putShort((short) code).putShort((short) 1).put(value);
    pad();
  }

  private void pad() {
    while ((block.position() - blockStart & 3) != 0) {
      block.put((byte) 0);
    }
  }
}
