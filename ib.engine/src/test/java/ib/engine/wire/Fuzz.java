package ib.engine.wire;

import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.core.wire.MadHeader;
import ib.core.wire.Vcrc;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Runs the decoders on arbitrary bytes. The first byte selects the fields that are repaired in the
 * others, so that a fuzzer gets past the CRCs. A violation is an {@link AssertionError}.
 */
final class Fuzz {
  static final int REPAIR_LENGTHS = 1;
  static final int REPAIR_ICRC = 2;
  static final int REPAIR_VCRC = 4;

  private static final int ROOM = 16384;

  private final RoceCodec roce = new RoceCodec();
  private final LinkCodec link = new LinkCodec();
  private final RoceFrame frame = new RoceFrame();
  private final Packet into = Packets.empty();
  private final Packet again = Packets.empty();
  private final MemorySegment room = MemorySegment.ofArray(new byte[ROOM]);
  private final Icrc icrc = new Icrc();

  /** One kind of input. */
  interface Target {
    void run(byte[] input);
  }

  /** A decoder of whole packets, the real one or one with a planted bug. */
  interface Decoder {
    @Nullable DropReason decode(MemorySegment bytes, int length, Packet into);
  }

  Target roce() {
    return roce((bytes, length, p) -> roce.decode(bytes, 0, length, p, frame));
  }

  Target roce(Decoder decoder) {
    return input -> {
      byte[] bytes = body(input);
      repairRoce(bytes, flags(input));
      judge(bytes, Oracle.roce(bytes), decoder, this::againRoce);
    };
  }

  Target link() {
    return link((bytes, length, p) -> link.decode(bytes, 0, length, p));
  }

  Target link(Decoder decoder) {
    return input -> {
      byte[] bytes = body(input);
      repairLink(bytes, flags(input));
      judge(bytes, Oracle.link(bytes), decoder, this::againLink);
    };
  }

  Target mad() {
    return input -> {
      DropReason verdict = MadHeader.check(MemorySegment.ofArray(input), 0, input.length);
      DropReason expected =
          input.length < 24
              ? DropReason.SHORT
              : input[0] != 1
                  ? DropReason.MAD_VERSION
                  : input.length != 256 ? DropReason.LENGTH : null;
      same(expected, verdict, "verdict");
      if (verdict == null) {
        readMad(input);
      }
    };
  }

  private static void readMad(byte[] input) {
    MadHeader mad = new MadHeader();
    mad.wrap(MemorySegment.ofArray(input.clone()), 0);
    byte[] copy = new byte[MadHeader.BYTES];
    MadHeader written = new MadHeader();
    written.wrap(MemorySegment.ofArray(copy), 0);
    written.baseVersion(mad.baseVersion());
    written.mgmtClass(mad.mgmtClass());
    written.classVersion(mad.classVersion());
    written.response(mad.response());
    written.method(mad.method());
    written.status(mad.status());
    written.classSpecific(mad.classSpecific());
    written.transactionId(mad.transactionId());
    written.attributeId(mad.attributeId());
    written.attributeModifier(mad.attributeModifier());
    copy[18] = input[18]; // reserved
    copy[19] = input[19];
    same(Arrays.toString(Arrays.copyOf(input, copy.length)), Arrays.toString(copy), "header");
  }

  private static int flags(byte[] input) {
    return input.length == 0 ? 0 : input[0];
  }

  private static byte[] body(byte[] input) {
    return input.length == 0 ? input : Arrays.copyOfRange(input, 1, input.length);
  }

  private interface Again {
    @Nullable DropReason decode();
  }

  private void judge(
      byte[] bytes, @Nullable DropReason expected, Decoder decoder, Again writeAndRead) {
    String before = into.opcode + " " + into.psn + " " + into.payload.length();
    DropReason verdict = decoder.decode(MemorySegment.ofArray(bytes), bytes.length, into);
    same(expected, verdict, "verdict");
    if (verdict != null) {
      same(before, into.opcode + " " + into.psn + " " + into.payload.length(), "untouched");
      return;
    }
    String text = Packets.transport(into);
    String payload = Packets.payload(into);
    same(null, writeAndRead.decode(), "written again");
    same(text, Packets.transport(again), "fields");
    same(payload, Packets.payload(again), "payload");
  }

  private @Nullable DropReason againRoce() {
    int length = roce.encode(into, frame, room, 0);
    return roce.decode(room, 0, length, again, new RoceFrame());
  }

  private @Nullable DropReason againLink() {
    int length = link.encode(into, room, 0);
    return link.decode(room, 0, length, again);
  }

  private static void same(@Nullable Object expected, @Nullable Object actual, String what) {
    if (expected == null ? actual != null : !expected.equals(actual)) {
      throw new AssertionError(what + ": expected " + expected + " but was " + actual);
    }
  }

  // ---- repairs ----

  private static void put16(byte[] b, int at, int value) {
    b[at] = (byte) (value >>> 8);
    b[at + 1] = (byte) value;
  }

  private void repairRoce(byte[] b, int flags) {
    boolean four = b.length > 14 && b[12] == 8;
    int bth = 14 + (four ? 28 : 48);
    if (b.length < bth + 16) {
      return;
    }
    if ((flags & REPAIR_LENGTHS) != 0) {
      put16(b, four ? 16 : 18, b.length - 14 - (four ? 0 : 40));
      put16(b, bth - 4, b.length - bth + 8);
      if (four) {
        put16(b, 24, 0);
        int sum = 0;
        for (int i = 14; i < 34; i += 2) {
          sum += (b[i] & 0xff) << 8 | b[i + 1] & 0xff;
        }
        put16(b, 24, ~(sum % 0xffff));
      }
    }
    if ((flags & REPAIR_ICRC) != 0) {
      MemorySegment bytes = MemorySegment.ofArray(b);
      Icrc.Network network = four ? Icrc.Network.IPV4 : Icrc.Network.IPV6;
      int length = b.length - bth - Icrc.BYTES;
      Icrc.store(bytes, b.length - 4, icrc.of(network, bytes, 14, bytes, bth, length));
    }
  }

  private void repairLink(byte[] b, int flags) {
    boolean global = b.length > 1 && (b[1] & 3) == 3;
    int bth = global ? 48 : 8;
    int end = b.length - 2;
    if (end < bth + 16) {
      return;
    }
    if ((flags & REPAIR_LENGTHS) != 0) {
      put16(b, 4, end / 4 & 0x7ff);
      if (global) {
        put16(b, 12, end - bth);
      }
    }
    MemorySegment bytes = MemorySegment.ofArray(b);
    if ((flags & REPAIR_ICRC) != 0) {
      Icrc.Network network = global ? Icrc.Network.GLOBAL : Icrc.Network.LOCAL;
      int value = icrc.of(network, bytes, 0, bytes, bth, end - bth - Icrc.BYTES);
      Icrc.store(bytes, end - 4, value);
    }
    if ((flags & REPAIR_VCRC) != 0) {
      Vcrc.store(bytes, end, Vcrc.of(bytes, 0, end));
    }
  }
}
