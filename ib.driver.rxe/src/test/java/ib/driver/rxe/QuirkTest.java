package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.Icrc;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RoceCodec;
import ib.engine.wire.RunContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 1: quirks, where Linux rdma_rxe differs from the specification")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class QuirkTest {
  private static final Gid HERE = Gid.parse("::ffff:127.0.0.1");
  private static final int IP = Icrc.Network.IPV4.bytes();
  private static final int FLUSH_HEADERS = 32;

  /** Nobody wants these packets back. */
  private static final class Nobody extends PacketOwner {
    @Override
    protected void released(Packet packet, RunContext run) {}

    @Override
    protected @Nullable Packet replicate(Packet original) {
      return null;
    }
  }

  @ParameterizedTest(name = "quirks {0}")
  @CsvSource({"'', true", "migreq-0, false", "'flush-icrc, nak-63', true"})
  @DisplayName("MigReq is 1 unless the quirk asks for 0")
  void migReq(String quirks, boolean expected) throws IOException {
    try (RxeLab lab = new RxeLab();
        WirePeer peer = new WirePeer("127.0.0.2")) {
      lab.configure("rxe0", "address", "127.0.0.1", "quirks", quirks);
      RxeSide side = lab.side("rxe0");
      side.open(QpType.RC);
      side.bringUp(peer.gid, 0x123456, Mtu.MTU_1024);
      side.send(1, 0, 64);
      assertEquals(0, peer.next());
      assertEquals(expected, peer.migReq);
    }
  }

  @ParameterizedTest(name = "quirks {0}: {1}")
  @CsvSource({"'', REM_INV_REQ_ERR", "nak-63, REM_OP_ERR"})
  @DisplayName("a receive that is too small is NAK 0x61, with the quirk 0x63")
  void tooLong(String quirks, WcStatus expected) {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1");
      lab.configure("rxe1", "address", "127.0.0.2", "quirks", quirks);
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      b.receive(1, 0, 32);
      a.send(2, 0, 64);
      assertEquals(expected, a.next().status());
      assertEquals(WcStatus.LOC_LEN_ERR, b.next().status());
    }
  }

  @Test
  @DisplayName("with the quirk the ICRC of a FLUSH covers its headers twice")
  void flush() {
    Packet p = new Packet(new Nobody());
    p.opcode = BthOpcode.RC_FLUSH.value();
    p.psn = 7;
    p.destQpn = 0x1234;
    p.pkey = 0xffff;
    p.rkey = 99;
    p.dgidLow = HERE.low();
    byte[] whole = new byte[IP + FLUSH_HEADERS + Icrc.BYTES];
    whole[0] = 0x45;
    whole[6] = 0x40; // don't fragment
    whole[9] = 17;
    MemorySegment to = MemorySegment.ofArray(whole);
    int length = whole.length - IP;
    for (boolean twice : new boolean[] {false, true}) {
      RoceCodec codec = new RoceCodec(twice);
      assertEquals(length, codec.encodeDatagram(p, Icrc.Network.IPV4, to, 0), "length");
      int found = to.get(ValueLayout.JAVA_INT_UNALIGNED, IP + FLUSH_HEADERS);
      byte[] headers = Arrays.copyOf(whole, IP);
      byte[] packet = Arrays.copyOfRange(whole, IP, whole.length);
      assertEquals(expected(headers, packet, twice), found, "twice " + twice);
      Packet read = new Packet(new Nobody());
      assertEquals(null, codec.decodeDatagram(Icrc.Network.IPV4, to, 0, length, read));
      RoceCodec other = new RoceCodec(!twice);
      assertEquals(
          "ICRC", String.valueOf(other.decodeDatagram(Icrc.Network.IPV4, to, 0, length, read)));
    }
  }

  /** By hand: ones for LRH, the masked headers, BTH with its congestion bits masked, and so on. */
  private static int expected(byte[] headers, byte[] packet, boolean twice) {
    CRC32 crc = new CRC32();
    crc.update(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
    byte[] masked = headers.clone();
    for (int i : new int[] {1, 8, 10, 11, 26, 27}) {
      masked[i] = -1;
    }
    crc.update(masked);
    byte[] first = packet.clone();
    first[4] = -1;
    crc.update(first, 0, FLUSH_HEADERS);
    if (twice) {
      crc.update(packet, 0, FLUSH_HEADERS);
    }
    assertEquals(12, Bth.BYTES);
    return (int) crc.getValue();
  }
}
