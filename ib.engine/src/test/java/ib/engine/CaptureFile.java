package ib.engine;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A second, independent reader of the blocks of pcapng that a capture has written. */
final class CaptureFile {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * A packet.
   *
   * @param comment what was said about it
   * @param incoming its direction
   * @param data with the ERF header, where there is one
   */
  record Entry(String comment, boolean incoming, byte[] data) {
    int opcode() {
      boolean global = (data[16 + 1] & 3) == 3;
      return data[16 + 8 + (global ? 40 : 0)] & 0xff;
    }
  }

  WritableByteChannel sink() {
    return Channels.newChannel(bytes);
  }

  List<Entry> entries() {
    ByteBuffer in = ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    List<Entry> entries = new ArrayList<>();
    while (in.remaining() > 0) {
      int start = in.position();
      int type = in.getInt();
      int length = in.getInt();
      if (in.getInt(start + length - 4) != length) {
        throw new AssertionError("block of " + length + " at " + start);
      }
      if (type == 6) {
        entries.add(packet(in, start + length - 4));
      }
      in.position(start + length);
    }
    return entries;
  }

  private static Entry packet(ByteBuffer in, int end) {
    in.position(in.position() + 12);
    byte[] data = new byte[in.getInt()];
    in.getInt();
    in.get(data);
    in.position(in.position() + 3 & ~3);
    String comment = "";
    boolean incoming = false;
    while (in.position() < end) {
      int code = in.getShort();
      byte[] value = new byte[in.getShort() & 0xffff];
      in.get(value);
      in.position(in.position() + 3 & ~3);
      if (code == 1) {
        comment = new String(value, StandardCharsets.UTF_8);
      } else if (code == 2) {
        incoming = (value[0] & 3) == 1;
      }
    }
    return new Entry(comment, incoming, data);
  }

  List<String> comments(boolean incoming) {
    return entries().stream().filter(e -> e.incoming == incoming).map(Entry::comment).toList();
  }
}
