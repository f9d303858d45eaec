package ib.kit.capture;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes the stream of a {@code ib.core.spi.PacketCapture}, which is pcapng, and hands over each
 * packet as soon as it is complete. One thread writes at a time.
 */
public final class CaptureReader implements WritableByteChannel {
  private static final int INTERFACE = 1;
  private static final int ENHANCED_PACKET = 6;
  private static final int MIN_BLOCK = 12;
  private static final int HEAD = 28; // of an enhanced packet, before the bytes of the packet
  private static final int COMMENT = 1;
  private static final int FLAGS = 2;
  private static final int QUEUE = 6;
  private static final int INCOMING = 1;
  private static final int LINK_ERF = 197;
  private static final int ERF_BYTES = 16;

  private final Consumer<CapturedPacket> to;
  private final List<Integer> links = new ArrayList<>(); // link type of each interface
  private ByteBuffer rest = ByteBuffer.allocate(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
  private volatile boolean open = true;

  /**
   * Reads a stream from its beginning.
   *
   * @param to takes the packets, on the thread that writes
   */
  public CaptureReader(Consumer<CapturedPacket> to) {
    this.to = to;
  }

  /**
   * Takes bytes.
   *
   * @throws IOException when they are no blocks of pcapng
   */
  @Override
  public int write(ByteBuffer bytes) throws IOException {
    int length = bytes.remaining();
    if (rest.remaining() < length) {
      int room = Math.max(2 * rest.capacity(), rest.position() + length);
      rest = ByteBuffer.allocate(room).order(ByteOrder.LITTLE_ENDIAN).put(rest.flip());
    }
    rest.put(bytes).flip();
    while (rest.remaining() >= MIN_BLOCK) {
      int start = rest.position();
      int block = rest.getInt(start + Integer.BYTES);
      if (rest.remaining() < block) {
        break;
      }
      if (block < MIN_BLOCK || rest.getInt(start + block - Integer.BYTES) != block) {
        throw new IOException("a block of " + block + " bytes");
      }
      block(rest.slice(start, block - Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN));
      rest.position(start + block);
    }
    rest.compact();
    return length;
  }

  /** A block without the length at its end. */
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
    boolean erf = links.get(block.getInt(8)) == LINK_ERF;
    long time = (long) block.getInt(12) << 32 | block.getInt(16) & 0xffff_ffffL;
    int length = block.getInt(20);
    String comment = "";
    boolean incoming = false;
    int queue = -1;
    for (int at = HEAD + (length + 3 & ~3); at + Integer.BYTES <= block.capacity(); ) {
      int code = block.getShort(at);
      int size = block.getShort(at + 2) & 0xffff;
      if (code == COMMENT) {
        byte[] text = new byte[size];
        block.get(at + Integer.BYTES, text);
        comment = new String(text, StandardCharsets.UTF_8);
      } else if (code == FLAGS) {
        incoming = (block.getInt(at + Integer.BYTES) & 3) == INCOMING;
      } else if (code == QUEUE) {
        queue = block.getInt(at + Integer.BYTES);
      } else if (code == 0) {
        break;
      }
      at += Integer.BYTES + (size + 3 & ~3);
    }
    int before = erf ? ERF_BYTES : 0;
    byte[] bytes = new byte[length - before];
    block.get(HEAD + before, bytes);
    MemorySegment packet = MemorySegment.ofArray(bytes);
    to.accept(new CapturedPacket(time, incoming, queue, !erf, packet, comment));
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
  }
}
