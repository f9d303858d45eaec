package ib.engine.wire;

import ib.core.wire.BthOpcode;
import ib.core.wire.ExtendedHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Packets without an owner: empty ones, random ones, and their text. */
final class Packets {
  private static final PacketOwner NOBODY =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {}

        @Override
        protected @Nullable Packet replicate(Packet original) {
          return null;
        }
      };

  private Packets() {}

  static Packet empty() {
    return new Packet(NOBODY);
  }

  /** A packet with random values in every field that its opcode has. */
  static Packet random(BthOpcode opcode, int payload, SplittableRandom random) {
    Packet p = empty();
    p.slid = random.nextInt(1, 0xc000);
    p.dlid = random.nextInt(1, 0xc000);
    p.sl = random.nextInt(16);
    p.sgidHigh = random.nextLong();
    p.sgidLow = random.nextLong();
    p.dgidHigh = random.nextLong();
    p.dgidLow = random.nextLong();
    p.trafficClass = random.nextInt(256);
    p.flowLabel = random.nextInt(1 << 20);
    p.hopLimit = random.nextInt(256);
    p.opcode = opcode.value();
    p.solicited = random.nextBoolean();
    p.migReq = random.nextBoolean();
    p.fecn = random.nextBoolean();
    p.becn = random.nextBoolean();
    p.ackRequest = random.nextBoolean();
    p.pkey = random.nextInt(1 << 16);
    p.destQpn = random.nextInt(1 << 24);
    p.psn = random.nextInt(1 << 24);
    p.qkey = random.nextInt();
    p.sourceQpn = random.nextInt(1 << 24);
    p.feth = random.nextInt(64);
    p.remoteAddress = random.nextLong();
    p.rkey = random.nextInt();
    p.dmaLength = random.nextInt();
    p.syndrome = random.nextInt(256);
    p.msn = random.nextInt(1 << 24);
    p.swapAdd = random.nextLong();
    p.compare = random.nextLong();
    p.immData = random.nextInt();
    if (payload > 0) {
      byte[] bytes = new byte[payload];
      random.nextBytes(bytes);
      int split = random.nextInt(payload);
      MemorySegment memory = MemorySegment.ofArray(bytes);
      if (split > 0) {
        p.payload.add(memory, 0, split);
      }
      p.payload.add(memory, split, payload - split);
    }
    return p;
  }

  /** {@return the fields of BTH, the later headers and the addresses, as in the captures' index} */
  static String text(Packet p, RoceFrame frame) {
    return transport(p)
        .formatted(
            "src=%016x%016x dst=%016x%016x id=%d sport=%d"
                .formatted(
                    p.sgidHigh,
                    p.sgidLow,
                    p.dgidHigh,
                    p.dgidLow,
                    frame.identification,
                    frame.sourcePort));
  }

  /** {@return the text of BTH and the later headers, with a place for the addresses} */
  static String transport(Packet p) {
    StringBuilder s = new StringBuilder();
    s.append("opcode=%02x se=%d mig=%d ".formatted(p.opcode, bit(p.solicited), bit(p.migReq)));
    s.append("fecn=%d becn=%d pkey=%04x ".formatted(bit(p.fecn), bit(p.becn), p.pkey));
    s.append("dqpn=%d ack=%d psn=%d ".formatted(p.destQpn, bit(p.ackRequest), p.psn));
    s.append("%s payload=").append(p.payload.length());
    BthOpcode opcode = Objects.requireNonNull(BthOpcode.of(p.opcode));
    for (ExtendedHeader header : opcode.headers()) {
      s.append(' ').append(extended(header, p));
    }
    return s.toString();
  }

  private static String extended(ExtendedHeader header, Packet p) {
    return switch (header) {
      case DETH -> "qkey=%08x sqpn=%d".formatted(p.qkey, p.sourceQpn);
      case FETH -> "feth=" + p.feth;
      case RETH ->
          "va=%016x rkey=%08x len=%s"
              .formatted(p.remoteAddress, p.rkey, Integer.toUnsignedString(p.dmaLength));
      case ATOMIC_ETH ->
          "va=%016x rkey=%08x swap=%016x compare=%016x"
              .formatted(p.remoteAddress, p.rkey, p.swapAdd, p.compare);
      case AETH -> "syndrome=%02x msn=%d".formatted(p.syndrome, p.msn);
      case ATOMIC_ACK_ETH -> "orig=%016x".formatted(p.swapAdd);
      case IMM_DT -> "imm=%08x".formatted(p.immData);
      case IETH -> "ieth=%08x".formatted(p.rkey);
    };
  }

  private static int bit(boolean b) {
    return b ? 1 : 0;
  }

  /** The payload, gathered. */
  static String payload(Packet p) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < p.payload.count(); i++) {
      MemorySegment piece = p.payload.segment(i).asSlice(p.payload.offset(i), p.payload.length(i));
      s.append(HexFormat.of().formatHex(piece.toArray(ValueLayout.JAVA_BYTE)));
    }
    return s.toString();
  }
}
