package ib.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HeaderTest {

  static Stream<Header> headers() {
    return Stream.of(
        new Lrh(),
        new Grh(),
        new Bth(),
        new Deth(),
        new Reth(),
        new Aeth(),
        new AtomicEth(),
        new AtomicAckEth(),
        new ImmDt(),
        new Ieth(),
        new MadHeader(),
        new EthernetHeader(),
        new Ipv4Header(),
        new UdpHeader());
  }

  private static List<Method> setters(Header header) {
    return Arrays.stream(header.getClass().getDeclaredMethods())
        .filter(m -> m.getParameterCount() == 1 && m.getReturnType() == void.class)
        .toList();
  }

  private static void set(Method setter, Header header, boolean ones)
      throws ReflectiveOperationException {
    Class<?> type = setter.getParameterTypes()[0];
    if (type == boolean.class) {
      setter.invoke(header, ones);
    } else if (type == int.class) {
      setter.invoke(header, ones ? -1 : 0);
    } else {
      setter.invoke(header, ones ? -1L : 0L);
    }
  }

  @ParameterizedTest
  @MethodSource("headers")
  @DisplayName("no field of a header touches another, nor a byte outside; what is set is read")
  void fieldsAreDisjoint(Header header) throws ReflectiveOperationException {
    int size = header.size();
    BitSet all = new BitSet();
    for (Method setter : setters(header)) {
      byte[] zero = new byte[size + 2];
      header.wrap(MemorySegment.ofArray(zero), 1);
      set(setter, header, true);
      BitSet own = BitSet.valueOf(zero);
      assertEquals(false, own.intersects(all), setter + " overlaps");
      all.or(own);
      byte[] ones = new byte[size + 2];
      Arrays.fill(ones, (byte) 0xff);
      header.wrap(MemorySegment.ofArray(ones), 1);
      set(setter, header, false);
      BitSet kept = BitSet.valueOf(ones);
      kept.flip(0, 8 * ones.length);
      assertEquals(own, kept, setter + " clears what it sets");
      Method getter = header.getClass().getMethod(setter.getName());
      assertEquals(0L, number(getter.invoke(header)));
      set(setter, header, true);
      assertEquals(own.cardinality(), Long.bitCount(number(getter.invoke(header)) & mask(getter)));
    }
    assertEquals(false, all.get(0, 8).cardinality() > 0, "before");
    assertEquals(false, all.get(8 * size + 8, 8 * size + 16).cardinality() > 0, "after");
  }

  private static long mask(Method getter) {
    return getter.getReturnType() == int.class ? 0xffffffffL : -1;
  }

  private static long number(Object value) {
    return value instanceof Boolean b ? (b ? 1 : 0) : ((Number) value).longValue();
  }

  @ParameterizedTest
  @MethodSource("headers")
  @DisplayName("a header that does not fit is refused before it is used")
  void bounds(Header header) {
    MemorySegment tooSmall = MemorySegment.ofArray(new byte[header.size() - 1]);
    assertThrows(IndexOutOfBoundsException.class, () -> header.wrap(tooSmall, 0));
    MemorySegment fits = MemorySegment.ofArray(new byte[header.size()]);
    assertThrows(IndexOutOfBoundsException.class, () -> header.wrap(fits, 1));
    header.wrap(fits, 0);
    assertEquals(header.size(), fits.byteSize());
  }

  @Test
  @DisplayName("IBA 9.2: BTH and AETH of a captured acknowledgement, and FETH with two fields")
  void known() {
    byte[] bytes = HexFormat.of().parseHex("1140ffff8012345680ba9876" + "1f000203" + "00000012");
    MemorySegment segment = MemorySegment.ofArray(bytes);
    Bth bth = new Bth();
    bth.wrap(segment, 0);
    assertEquals(0x11, bth.opcode());
    assertEquals(false, bth.solicitedEvent());
    assertEquals(true, bth.migReq());
    assertEquals(0, bth.padCnt());
    assertEquals(0, bth.tver());
    assertEquals(0xffff, bth.pkey());
    assertEquals(true, bth.fecn());
    assertEquals(false, bth.becn());
    assertEquals(0x123456, bth.destQp());
    assertEquals(true, bth.ackReq());
    assertEquals(0xba9876, bth.psn());
    Aeth aeth = new Aeth();
    aeth.wrap(segment, Bth.BYTES);
    assertEquals(0x1f, aeth.syndrome());
    assertEquals(0x203, aeth.msn());
    Feth feth = new Feth();
    feth.wrap(segment, Bth.BYTES + Aeth.BYTES);
    assertEquals(Feth.PERSISTENT, feth.plt());
    assertEquals(Feth.REGION, feth.sel());
    assertEquals(0x12, feth.word());
  }

  @Test
  @DisplayName("IBA 13.4.3, F-40: a datagram that is no MAD is dropped by its bytes alone")
  void mad() {
    byte[] bytes = new byte[MadHeader.MAD_BYTES];
    MemorySegment segment = MemorySegment.ofArray(bytes);
    assertEquals(DropReason.MAD_VERSION, MadHeader.check(segment, 0, 256));
    bytes[0] = 1;
    assertNull(MadHeader.check(segment, 0, 256));
    assertEquals(DropReason.SHORT, MadHeader.check(segment, 0, 23));
    assertEquals(DropReason.LENGTH, MadHeader.check(segment, 0, 255));
    assertEquals(DropReason.SHORT, MadHeader.check(segment, 0, 257));
    assertEquals(DropReason.SHORT, MadHeader.check(segment, -1, 256));
    assertEquals(DropReason.SHORT, MadHeader.check(segment, Long.MAX_VALUE, 256));
    assertEquals(DropReason.SHORT, MadHeader.check(segment, 0, Integer.MIN_VALUE));
  }

  @Test
  @DisplayName("IBA 9.7.1: sequence numbers wrap")
  void psn() {
    assertEquals(0, Psn.add(Psn.MAX, 1));
    assertEquals(Psn.MAX, Psn.add(0, -1));
    assertEquals(1, Psn.diff(0, Psn.MAX));
    assertEquals(-1, Psn.diff(Psn.MAX, 0));
    assertEquals(-(1 << 23), Psn.diff(0x800000, 0));
    assertEquals((1 << 23) - 1, Psn.diff(0x7fffff, 0));
    assertEquals(5, Psn.diff(Psn.add(0xfffffe, 5), 0xfffffe));
  }

  @Test
  @DisplayName("RFC 791: the header checksum of a known datagram")
  void ipv4Checksum() {
    byte[] bytes = HexFormat.of().parseHex("4568004cc3b04000401161e80a4e00030a4e0002");
    Ipv4Header ip = new Ipv4Header();
    ip.wrap(MemorySegment.ofArray(bytes), 0);
    assertEquals(0x61e8, ip.checksum());
    assertEquals(0x61e8, ip.expectedChecksum());
    ip.checksum(0);
    assertEquals(0x61e8, ip.expectedChecksum());
    ip.identification(0xc3b1);
    assertEquals(0x61e7, ip.expectedChecksum());
    assertEquals(false, ip.intact());
    ip.checksum(0x61e7);
    assertEquals(true, ip.intact());
    ip.identification(0x2599); // the sum of the rest is zero now
    assertEquals(0, ip.expectedChecksum());
    ip.checksum(0);
    assertEquals(true, ip.intact());
    ip.checksum(0xffff);
    assertEquals(true, ip.intact());
  }
}
