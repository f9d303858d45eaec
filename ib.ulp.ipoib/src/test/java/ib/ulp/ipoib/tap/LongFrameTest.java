package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.ulp.ipoib.link.Drop;
import ib.ulp.ipoib.link.Frame;
import ib.ulp.ipoib.link.Frames;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.IpPacket;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("D9: coalesced segments are written to the kernel as one packet, without a copy")
class LongFrameTest {
  private static final int GAP = 7;
  private static final long MAC = 0x0200_1234_5678L;

  private final Arena arena = Arena.ofConfined();
  private final List<Drop> drops = new ArrayList<>();
  private final Ear ear = new Ear();
  private final RandomGenerator random =
      RandomGeneratorFactory.of("L64X128MixRandom").create(20_261_123);

  /** Takes what the kernel would. */
  private static final class Ear implements Kernel {
    boolean ethernet = true;
    boolean takes = true;
    byte[] got = {};

    @Override
    public boolean ethernet() {
      return ethernet;
    }

    @Override
    public int queueOf(MemorySegment s, IpPacket ip) {
      return ip.to().isV4() ? 4 : 6;
    }

    @Override
    public boolean write(int queue, MemorySegment from, long length) {
      throw new AssertionError("it does not lie in one piece");
    }

    @Override
    public boolean write(int queue, MemorySegment pieces, int count, long length) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < count; i++) {
        long at = pieces.get(ValueLayout.JAVA_LONG, 16L * i);
        long bytes = pieces.get(ValueLayout.JAVA_LONG, 16L * i + 8);
        MemorySegment piece = MemorySegment.ofAddress(at).reinterpret(bytes);
        all.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE));
      }
      got = all.toByteArray();
      assertEquals(length, got.length);
      assertEquals((got[ethernet ? 24 : 10] & 0xff) >> 4, queue, "of the flow");
      return takes;
    }
  }

  @AfterEach
  void close() {
    arena.close();
  }

  /** A segment whose lengths and checksums are still those of before. */
  private byte[] segment(boolean four, int options, int data) {
    int ip = four ? 20 : 40;
    byte[] bytes = new byte[ip + 20 + options + data];
    random.nextBytes(bytes);
    ByteBuffer b = ByteBuffer.wrap(bytes).put(0, (byte) (four ? 0x45 : 0x60));
    if (four) {
      b.putShort(6, (short) 0x4000).put(9, (byte) 6);
    } else {
      b.put(6, (byte) 6);
    }
    b.put(ip + 12, (byte) ((20 + options) / 4 << 4)).put(ip + 13, (byte) 0x10);
    return bytes;
  }

  private Frame lay(byte[] bytes, boolean four, int mss, int each) {
    MemorySegment s = arena.allocate(2L * bytes.length + 1000, 8);
    for (int at = 0, i = 0; at < bytes.length; at += each, i++) {
      int n = Math.min(each, bytes.length - at);
      MemorySegment.copy(bytes, at, s, ValueLayout.JAVA_BYTE, (long) i * (each + GAP), n);
    }
    int type = four ? Encapsulation.IPV4 : Encapsulation.IPV6;
    return Frames.together(s, type, mss, bytes.length, each, GAP);
  }

  @ParameterizedTest(name = "IPv4 {0}, Ethernet {1}, {2} bytes of options, pieces of {3}")
  @CsvSource({
    "true, true, 0, 2000",
    "true, false, 12, 1000",
    "false, true, 12, 333",
    "false, false, 40, 9001",
    "true, true, 40, 65000"
  })
  @DisplayName("virtio_net_hdr, lengths and the sums of header and pseudo header; data untouched")
  void given(boolean four, boolean ethernet, int options, int each) {
    ear.ethernet = ethernet;
    byte[] bytes = segment(four, options, 20_011);
    new LongFrame(ear, drops::add, arena).give(lay(bytes, four, 1400, each), MAC, MAC);
    assertEquals(List.of(), drops);
    int frame = ethernet ? 14 : 0;
    int ip = four ? 20 : 40;
    ByteBuffer virtio = ByteBuffer.wrap(ear.got).order(ByteOrder.nativeOrder());
    assertEquals(1, virtio.get(0), "VIRTIO_NET_HDR_F_NEEDS_CSUM");
    assertEquals(four ? 1 : 4, virtio.get(1), "VIRTIO_NET_HDR_GSO_TCPV4 or TCPV6");
    assertEquals(frame + ip + 20 + options, virtio.getShort(2), "hdr_len");
    assertEquals(1400, virtio.getShort(4), "gso_size");
    assertEquals(frame + ip, virtio.getShort(6), "csum_start");
    assertEquals(16, virtio.getShort(8), "csum_offset");
    if (ethernet) {
      assertEquals(MAC, ByteBuffer.wrap(ear.got).getLong(10) >>> 16);
      assertEquals(four ? 0x0800 : 0x86dd, ByteBuffer.wrap(ear.got).getShort(22) & 0xffff);
    }
    ByteBuffer expected = ByteBuffer.wrap(bytes);
    int tcp = bytes.length - ip;
    if (four) {
      expected.putShort(2, (short) bytes.length).putShort(10, (short) 0);
      expected.putShort(10, (short) ~sum(Arrays.copyOf(bytes, 20)));
    } else {
      expected.putShort(4, (short) tcp);
    }
    ByteArrayOutputStream pseudo = new ByteArrayOutputStream();
    pseudo.writeBytes(Arrays.copyOfRange(bytes, four ? 12 : 8, ip));
    pseudo.writeBytes(ByteBuffer.allocate(8).putInt(tcp).putInt(6).array());
    expected.putShort(ip + 16, (short) sum(pseudo.toByteArray()));
    assertArrayEquals(bytes, Arrays.copyOfRange(ear.got, 10 + frame, ear.got.length));
  }

  @ParameterizedTest(name = "IPv4 {0}, segments of {1}")
  @CsvSource({"true, 9000", "true, 60000", "false, 9000"})
  @DisplayName("a packet of one segment is to be summed, if it is sent on, and not to be cut")
  void oneSegment(boolean four, int mss) {
    byte[] bytes = segment(four, 12, 9000);
    Frame frame = lay(bytes, four, mss, bytes.length);
    new LongFrame(ear, drops::add, arena).give(frame, MAC, MAC);
    ByteBuffer virtio = ByteBuffer.wrap(ear.got).order(ByteOrder.nativeOrder());
    assertEquals(1, virtio.get(0), "VIRTIO_NET_HDR_F_NEEDS_CSUM");
    assertEquals(0, virtio.get(1), "VIRTIO_NET_HDR_GSO_NONE");
    assertEquals(0, virtio.getShort(4), "gso_size");
    assertEquals(14 + (four ? 20 : 40), virtio.getShort(6), "csum_start");
    assertEquals(16, virtio.getShort(8), "csum_offset");
    assertEquals(24 + bytes.length, ear.got.length);
  }

  /** RFC 1071, word by word, not complemented. */
  private static int sum(byte[] bytes) {
    int sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      sum += (bytes[i] & 0xff) << (i % 2 == 0 ? 8 : 0);
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
  }

  @ParameterizedTest(name = "byte {0} is {1}")
  @CsvSource({"0, 101", "0, 68", "6, 32"})
  @DisplayName(
      "a packet that is not whole, or not of its EtherType, is dropped and counted, and "
          + "not written")
  void malformed(int at, int value) {
    byte[] bytes = segment(true, 0, 3000);
    bytes[at] = (byte) value;
    new LongFrame(ear, drops::add, arena).give(lay(bytes, true, 1000, 2000), MAC, MAC);
    assertEquals(List.of(Drop.RX_MALFORMED), drops);
    assertEquals(0, ear.got.length);
  }

  @ParameterizedTest(name = "Ethernet {0}")
  @CsvSource({"true", "false"})
  @DisplayName("a packet that the kernel has no space for is counted, and the next one passes")
  void full(boolean ethernet) {
    LongFrame to = new LongFrame(ear, drops::add, arena);
    ear.ethernet = ethernet;
    ear.takes = false;
    byte[] bytes = segment(true, 0, 3000);
    to.give(lay(bytes, true, 1000, 2000), MAC, MAC);
    byte[] first = ear.got;
    ear.takes = true;
    to.give(lay(bytes, true, 1000, 500), MAC, MAC);
    assertEquals(List.of(Drop.RX_FULL), drops);
    assertArrayEquals(first, ear.got);
  }
}
