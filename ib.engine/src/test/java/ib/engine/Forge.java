package ib.engine;

import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.wire.BthOpcode;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes forged packets and receives the responses of one side; both are encoded to bytes. */
final class Forge {
  private final Rig rig;
  private final Rig.Side victim;
  private final Rig.Side disguise;
  private final LinkCodec codec = new LinkCodec();
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[8192]);

  /** A response of the victim: opcode, syndrome (0 when it has none), PSN, MSN. */
  record Answer(int opcode, int syndrome, int psn, int msn) {}

  final List<Answer> answers = new ArrayList<>();

  private final PacketOwner nobody =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {}

        @Override
        protected @Nullable Packet replicate(Packet original) {
          return null;
        }
      };

  /**
   * Packets come to the victim as if the other side had sent them; neither is heard by the other.
   */
  Forge(Rig rig, Rig.Side victim, Rig.Side disguise) {
    this.rig = rig;
    this.victim = victim;
    this.disguise = disguise;
    rig.wire.segments(true);
    rig.wire.loses(this::heard);
  }

  private boolean heard(Packet p) {
    if (p.slid == victim.lid()) {
      boolean aeth = p.opcode >= 0x0d && p.opcode <= 0x12 && p.opcode != 0x0e;
      answers.add(new Answer(p.opcode, aeth ? p.syndrome : 0, p.psn, aeth ? p.msn : 0));
    }
    return true;
  }

  /** A packet to the queue pair of the victim; the lengths are those of the payload. */
  Packet packet(BthOpcode opcode, int psn, int payload) {
    Packet p = new Packet(nobody);
    p.slid = disguise.lid();
    p.dlid = victim.lid();
    p.pkey = 0xffff;
    p.opcode = opcode.value();
    p.destQpn = victim.qp.qpn();
    p.psn = psn & 0xffffff;
    p.psnCount = 1;
    p.ackRequest = true;
    p.rkey = victim.mr.rkey();
    p.remoteAddress = victim.mr.iova();
    p.dmaLength = payload;
    if (payload > 0) {
      p.payload.add(MemorySegment.ofArray(new byte[payload]), 0, payload);
    }
    return p;
  }

  /** Delivers a packet to the victim through the decoder. */
  void arrive(Packet p) {
    int length = codec.encode(p, bytes, 0);
    Packet received = new Packet(nobody);
    RunContext run = victim.hca.newRunContext();
    assertNull(codec.decode(bytes, 0, length, received), "it is well-formed");
    victim.hca.port(1).receive(received, run);
    run.finish();
    rig.settle();
  }
}
