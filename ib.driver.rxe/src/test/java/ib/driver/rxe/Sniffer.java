package ib.driver.rxe;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Sees what leaves this host towards UDP port 4791, from the IP header on, by a packet socket of
 * Linux. It does what a network card does with it: cuts what the system has left whole, and
 * completes the checksum.
 */
final class Sniffer implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int DGRAM_NONBLOCK = 2 | 0x800;
  private static final int ALL_PROTOCOLS = Short.reverseBytes((short) 3);
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int ADDRESS_BYTES = 20;
  private static final int PACKET_TYPE = 10;
  private static final int OUTGOING = 4;
  private static final int MAX_BYTES = 1 << 17;
  private static final int UDP_BYTES = 8;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment bytes = arena.allocate(MAX_BYTES);
  private final MemorySegment from = arena.allocate(ADDRESS_BYTES, 4);
  private final MemorySegment fromLength = arena.allocate(ValueLayout.JAVA_INT);
  private final int fd;

  /** Begins, or skips the test where that is not allowed. */
  Sniffer() {
    var i = ValueLayout.JAVA_INT;
    fd = (int) call("socket", i, i, i, i).apply(AF_PACKET, DGRAM_NONBLOCK, ALL_PROTOCOLS & 0xffff);
    Assumptions.assumeTrue(fd >= 0, "a packet socket needs root");
    call("setsockopt", i, i, i, i, ValueLayout.ADDRESS, i)
        .apply(fd, SOL_SOCKET, SO_RCVBUFFORCE, arena.allocateFrom(i, 1 << 24), 4);
  }

  private interface Call {
    Object apply(Object... arguments);
  }

  private static Call call(String name, ValueLayout result, ValueLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    MethodHandle handle =
        linker.downcallHandle(
            linker.defaultLookup().find(name).orElseThrow(),
            FunctionDescriptor.of(result, arguments));
    return values -> {
      try {
        return handle.invokeWithArguments(values);
      } catch (Throwable e) {
        throw new AssertionError(name, e);
      }
    };
  }

  /**
   * What was sent so far.
   *
   * @param datagram bytes after UDP in a packet that is longer when the system cuts it
   */
  List<byte[]> packets(int datagram) {
    var i = ValueLayout.JAVA_INT;
    var n = ValueLayout.JAVA_LONG;
    var p = ValueLayout.ADDRESS;
    Call receive = call("recvfrom", n, i, p, n, i, p, p);
    List<byte[]> all = new ArrayList<>();
    for (; ; ) {
      fromLength.set(i, 0, ADDRESS_BYTES);
      long length = (long) receive.apply(fd, bytes, (long) MAX_BYTES, 0, from, fromLength);
      if (length < 0) {
        return all;
      }
      byte[] packet = bytes.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      if (from.get(ValueLayout.JAVA_BYTE, PACKET_TYPE) == OUTGOING && roce(packet)) {
        cut(packet, datagram, all);
      }
    }
  }

  private static int ipBytes(byte[] packet) {
    return packet[0] >>> 4 == 4 ? 20 : 40;
  }

  private static boolean roce(byte[] packet) {
    int protocol = packet[packet[0] >>> 4 == 4 ? 9 : 6];
    return protocol == 17
        && ByteBuffer.wrap(packet).getShort(ipBytes(packet) + 2) == (short) Forgery.PORT;
  }

  /** The packets that a network card makes of one that the system has left whole. */
  static void cut(byte[] whole, int datagram, List<byte[]> into) {
    int headers = ipBytes(whole) + UDP_BYTES;
    int parts = (whole.length - headers + datagram - 1) / datagram;
    for (int i = 0; i < parts; i++) {
      int at = headers + i * datagram;
      int length = Math.min(datagram, whole.length - at);
      byte[] part = Arrays.copyOf(whole, headers + length);
      System.arraycopy(whole, at, part, headers, length);
      ByteBuffer b = ByteBuffer.wrap(part).order(ByteOrder.BIG_ENDIAN);
      int ip = headers - UDP_BYTES;
      if (ip == 20) {
        b.putShort(2, (short) part.length);
        b.putShort(4, (short) (b.getShort(4) + i));
        b.putShort(10, (short) 0).putShort(10, (short) ~sum(b, 0, ip, 0));
      } else {
        b.putShort(4, (short) (part.length - ip));
      }
      b.putShort(ip + 4, (short) (part.length - ip)).putShort(ip + 6, (short) 0);
      int before = sum(b, ip == 20 ? 12 : 8, ip, 17 + part.length - ip);
      short sum = (short) ~sum(b, ip, part.length, before);
      // RFC 768: a checksum that comes out as zero is sent as all ones, since zero says "not
      // summed"
      b.putShort(ip + 6, sum == 0 ? -1 : sum);
      into.add(part);
    }
  }

  private static int sum(ByteBuffer b, int start, int end, int before) {
    int sum = before;
    for (int i = start; i < end; i += 2) {
      sum += b.getShort(i) & 0xffff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return (sum & 0xffff) + (sum >>> 16);
  }

  @Override
  public void close() {
    call("close", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT).apply(fd);
    arena.close();
  }
}
