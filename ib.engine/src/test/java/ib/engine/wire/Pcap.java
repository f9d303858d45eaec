package ib.engine.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Test data: the frames of a compressed pcap file, and the lines of a compressed text. */
final class Pcap {
  private static final String FOLDER = "golden/";
  private static final int FILE_HEADER = 24;
  private static final int RECORD_HEADER = 16;

  private Pcap() {}

  /** Every frame, in order, as a segment of its own length. */
  static List<MemorySegment> frames(String name) {
    ByteBuffer file = ByteBuffer.wrap(bytes(name + ".gz")).order(ByteOrder.LITTLE_ENDIAN);
    if (file.getInt(0) != 0xa1b2c3d4) {
      throw new AssertionError(name + " is not a little-endian pcap file");
    }
    file.position(FILE_HEADER);
    List<MemorySegment> frames = new ArrayList<>();
    while (file.remaining() > RECORD_HEADER) {
      int length = file.getInt(file.position() + 8);
      file.position(file.position() + RECORD_HEADER);
      byte[] frame = new byte[length];
      file.get(frame);
      frames.add(MemorySegment.ofArray(frame));
    }
    return frames;
  }

  static List<String> lines(String name) {
    return new String(bytes(name + ".gz"), java.nio.charset.StandardCharsets.US_ASCII)
        .lines()
        .toList();
  }

  private static byte[] bytes(String name) {
    try (InputStream in = Pcap.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new AssertionError("no " + name);
      }
      return new GZIPInputStream(in).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
