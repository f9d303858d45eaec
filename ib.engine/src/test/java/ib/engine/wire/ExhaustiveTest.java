package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.core.wire.Vcrc;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F-01, D9: every opcode with every length, padding and version")
class ExhaustiveTest {
  private static final int MAX_LENGTH = 200;
  private static final int CASES = 256 * (MAX_LENGTH + 1) * 4 * 16;
  private static final int IP = 28;
  private static final int LRH = 8;

  private final Packet packet = Packets.empty();
  private int accepted;
  private int cases;

  /** A decoder under test: judges bytes that lie ready. */
  private interface Decoder {
    @Nullable DropReason decode(int length);
  }

  /** The result that the decoder must have. */
  private interface Expectation {
    @Nullable DropReason of(int opcode, int length, int pad, int tver);
  }

  /** Makes the bytes right in all that is not tried out: lengths and CRCs. */
  private interface Sealer {
    void seal(int length);
  }

  private void all(byte[] bytes, int bth, Decoder decoder, Sealer sealer, Expectation expectation) {
    byte[] noise = new byte[bytes.length];
    new SplittableRandom(11).nextBytes(noise);
    for (int opcode = 0; opcode < 256; opcode++) {
      for (int length = 0; length <= MAX_LENGTH; length++) {
        System.arraycopy(noise, 0, bytes, bth, length);
        for (int low = 0; low < 64; low++) { // PadCnt and TVer
          bytes[bth] = (byte) opcode;
          bytes[bth + 1] = (byte) (noise[opcode % 7] & 0xc0 | low);
          sealer.seal(length);
          one(opcode, length, low, decoder, expectation);
        }
      }
    }
    assertEquals(CASES, cases);
    assertTrue(accepted > 5000, accepted + " accepted");
  }

  private void one(int opcode, int length, int low, Decoder decoder, Expectation expectation) {
    DropReason expected = expectation.of(opcode, length, low >>> 4, low & 15);
    DropReason verdict = decoder.decode(length);
    if (verdict != expected) {
      assertEquals(
          expected, verdict, "opcode %02x length %d low %02x".formatted(opcode, length, low));
    }
    cases++;
    if (verdict == null) {
      accepted++;
      int payload = length - Oracle.headers(opcode) - 4 - (low >>> 4);
      if (packet.payload.length() != payload || packet.opcode != opcode) {
        assertEquals(payload, packet.payload.length(), "payload of opcode " + opcode);
        assertEquals(opcode, packet.opcode);
      }
    }
  }

  @Test
  @DisplayName("RoCEv2, what follows UDP: 3.3 million cases agree with the specification's table")
  void roce() {
    byte[] headers = new byte[IP];
    new SplittableRandom(5).nextBytes(headers);
    byte[] masked = new byte[8 + IP + MAX_LENGTH + 4];
    Arrays.fill(masked, 0, 8, (byte) 0xff);
    System.arraycopy(headers, 0, masked, 8, IP);
    for (int at : new int[] {1, 8, 10, 11, 26, 27}) {
      masked[8 + at] = (byte) 0xff;
    }
    byte[] bytes = Arrays.copyOf(headers, IP + MAX_LENGTH + 4);
    MemorySegment segment = MemorySegment.ofArray(bytes);
    RoceCodec codec = new RoceCodec();
    CRC32 crc = new CRC32();
    all(
        bytes,
        IP,
        length -> codec.decodeDatagram(Icrc.Network.IPV4, segment, 0, length, packet),
        length -> {
          if (length >= 16) {
            System.arraycopy(bytes, IP, masked, 8 + IP, length - 4);
            masked[8 + IP + 4] = (byte) 0xff;
            crc.reset();
            crc.update(masked, 0, 8 + IP + length - 4);
            Icrc.store(segment, IP + length - 4, (int) crc.getValue());
          }
        },
        Oracle::judge);
  }

  @Test
  @DisplayName("InfiniBand link: 3.3 million cases agree with the specification's table")
  void link() {
    byte[] bytes = new byte[LRH + MAX_LENGTH + 4];
    MemorySegment segment = MemorySegment.ofArray(bytes);
    LinkCodec codec = new LinkCodec();
    Icrc icrc = new Icrc();
    all(
        bytes,
        LRH,
        length -> codec.decode(segment, 0, LRH + length + Vcrc.BYTES, packet),
        length -> {
          bytes[0] = 0;
          bytes[1] = 2;
          bytes[4] = (byte) ((LRH + length) / 4 >>> 8);
          bytes[5] = (byte) ((LRH + length) / 4);
          if (length >= 16) {
            int covered = length - Icrc.BYTES;
            int value = icrc.of(Icrc.Network.LOCAL, segment, 0, segment, LRH, covered);
            Icrc.store(segment, LRH + covered, value);
            Vcrc.store(segment, LRH + length, Vcrc.of(segment, 0, LRH + length));
          }
        },
        // LRH counts in words, so a length that is none contradicts it
        (opcode, length, pad, tver) ->
            length >= 16 && length % 4 != 0
                ? DropReason.LENGTH
                : Oracle.judge(opcode, length, pad, tver));
  }

  @Test
  @DisplayName("the table of opcodes and the one written for this test name the same opcodes")
  void oracleIsComplete() {
    for (int i = 0; i < 256; i++) {
      BthOpcode opcode = BthOpcode.of(i);
      assertEquals(Oracle.headers(i), opcode == null ? 0 : opcode.headerBytes(), "opcode " + i);
    }
  }
}
