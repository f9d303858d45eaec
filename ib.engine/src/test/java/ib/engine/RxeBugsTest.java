package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.core.wire.Vcrc;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known bugs of rdma_rxe, tried with bytes that go through the decoder into the engine. */
@DisplayName("the engine does not have the known bugs of rdma_rxe")
class RxeBugsTest {
  private static final int MTU = 1024;
  private static final int FIRST_PSN = 0xfffffe;
  private static final int NAK_INVALID = 0x61;
  private static final int NAK_ACCESS = 0x62;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final LinkCodec codec = new LinkCodec();
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[8192]);
  private final List<Integer> answers = new ArrayList<>();
  private int released;

  private final PacketOwner hostile =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {
          released++;
        }

        @Override
        protected @Nullable Packet replicate(Packet original) {
          return null;
        }
      };

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 4, 14, 1, 0);
    rig.wire.segments(true);
    rig.wire.loses(this::answered);
    answers.clear();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Records a packet of the victim, which is then lost. */
  private boolean answered(Packet p) {
    if (p.slid == rig.b().lid()) {
      answers.add((p.opcode & 0x1f) == 0x11 ? p.syndrome : p.opcode);
      return true;
    }
    return false;
  }

  private Packet packet(int opcode, int psn, int payload) {
    Packet p = new Packet(hostile);
    p.slid = rig.a().lid();
    p.dlid = rig.b().lid();
    p.pkey = 0xffff;
    p.opcode = opcode;
    p.destQpn = rig.b().qp.qpn();
    p.psn = psn & 0xffffff;
    p.ackRequest = true;
    p.rkey = rig.b().mr.rkey();
    p.remoteAddress = rig.b().mr.iova();
    p.dmaLength = payload;
    if (payload > 0) {
      p.payload.add(MemorySegment.ofArray(new byte[payload]), 0, payload);
    }
    return p;
  }

  /** Through the decoder, as a driver does it. */
  private @Nullable DropReason arrive(Packet p) {
    return arrive(codec.encode(p, bytes, 0));
  }

  private @Nullable DropReason arrive(int length) {
    Packet received = new Packet(hostile);
    RunContext run = rig.b().hca.newRunContext();
    DropReason reason = codec.decode(bytes, 0, length, received);
    if (reason != null) {
      rig.b().hca.port(1).dropped(reason);
    } else {
      rig.b().hca.port(1).receive(received, run);
      run.finish();
    }
    rig.settle();
    return reason;
  }

  private long counter(DropReason reason) {
    return rig.b().hca.port(1).counters().getOrDefault(reason.counter(), 0L);
  }

  private void again() {
    rig.a().qp.close();
    rig.b().qp.close();
    connect();
  }

  @Test
  @DisplayName("R-01, D9: unknown opcodes to any queue pair: counted, no answer, no harm")
  void unknownOpcodes() {
    int unknown = 0;
    for (int opcode = 0; opcode < 256; opcode++) {
      for (int qpn : new int[] {0, 1, 0xffffff, rig.b().qp.qpn()}) {
        if (BthOpcode.of(opcode) == null) {
          Packet p = packet(BthOpcode.RC_SEND_ONLY.value(), FIRST_PSN, 20);
          p.destQpn = qpn;
          int length = codec.encode(p, bytes, 0);
          bytes.set(ValueLayout.JAVA_BYTE, 8, (byte) opcode);
          int covered = length - 6;
          int icrc = new Icrc().of(Icrc.Network.LOCAL, bytes, 0, bytes, 8, covered - 8);
          Icrc.store(bytes, covered, icrc);
          Vcrc.store(bytes, length - 2, Vcrc.of(bytes, 0, length - 2));
          assertEquals(DropReason.OPCODE, arrive(length));
          unknown++;
        }
      }
    }
    assertEquals(unknown, counter(DropReason.OPCODE));
    assertEquals(List.of(), answers);
    assertEquals(QpState.RTS, rig.b().qp.state());
    assertNull(arrive(packet(BthOpcode.RC_RDMA_WRITE_ONLY.value(), FIRST_PSN, 8)));
    assertEquals(List.of(0x1f), answers, "and it still works");
  }

  @ParameterizedTest(name = "{0} with {1} bytes after {2}")
  @CsvSource({
    "RC_SEND_FIRST, 0, ",
    "RC_SEND_FIRST, 1023, ",
    "RC_SEND_FIRST, 1025, ",
    "RC_SEND_FIRST, 4096, ",
    "RC_SEND_MIDDLE, 1000, RC_SEND_FIRST",
    "RC_SEND_LAST, 0, RC_SEND_FIRST",
    "RC_SEND_LAST, 1025, RC_SEND_FIRST",
    "RC_SEND_LAST_IMM, 0, RC_SEND_FIRST",
    "RC_SEND_ONLY, 1025, ",
    "RC_RDMA_WRITE_FIRST, 1020, ",
    "RC_RDMA_WRITE_FIRST, 2048, ",
    "RC_RDMA_WRITE_MIDDLE, 1028, RC_RDMA_WRITE_FIRST",
    "RC_RDMA_WRITE_LAST, 0, RC_RDMA_WRITE_FIRST",
    "RC_RDMA_WRITE_LAST, 1025, RC_RDMA_WRITE_FIRST",
    "RC_RDMA_WRITE_ONLY, 1025, ",
    "RC_SEND_MIDDLE, 1024, ",
    "RC_SEND_LAST, 8, ",
    "RC_RDMA_WRITE_LAST, 8, RC_SEND_FIRST",
  })
  @DisplayName("R-04: first, middle, last and only against the MTU: NAK invalid request, then ERR")
  void lengthsAgainstMtu(BthOpcode opcode, int length, @Nullable BthOpcode before) {
    rig.b().qp.postReceive(1, rig.b().mr.lkey(), rig.b().mr.iova(), 1 << 16);
    int psn = FIRST_PSN;
    if (before != null) {
      Packet first = packet(before.value(), psn++, MTU);
      first.dmaLength = 3 * MTU;
      assertNull(arrive(first));
      assertEquals(List.of(0x1f), answers);
      answers.clear();
    }
    Packet p = packet(opcode.value(), psn, length);
    p.dmaLength = Math.max(length, MTU);
    assertNull(arrive(p));
    assertEquals(List.of(NAK_INVALID), answers);
    assertEquals(QpState.ERR, rig.b().qp.state());
  }

  @Test
  @DisplayName("R-06: address and length around 2^64 and 2^32: NAK access, nothing is touched")
  void wraps() {
    MemoryRegion mr = rig.b().mr;
    long end = mr.iova() + mr.length();
    long[] addresses = {
      end - 7,
      end,
      mr.iova() - 1,
      mr.iova() - 8,
      0,
      -1,
      -8,
      -16,
      Long.MIN_VALUE,
      Long.MAX_VALUE,
      Long.MAX_VALUE - 6,
      mr.iova() + (1L << 32),
      mr.iova() + (1L << 63)
    };
    mr.segment().fill((byte) 0x11);
    for (BthOpcode opcode :
        new BthOpcode[] {BthOpcode.RC_RDMA_WRITE_ONLY, BthOpcode.RC_RDMA_READ_REQUEST}) {
      for (long address : addresses) {
        Packet p = packet(opcode.value(), FIRST_PSN, 8);
        if (opcode == BthOpcode.RC_RDMA_READ_REQUEST) {
          p.payload.clear();
        }
        p.remoteAddress = address;
        assertNull(arrive(p));
        assertEquals(List.of(NAK_ACCESS), answers, opcode + " at " + Long.toHexString(address));
        again();
      }
    }
    for (int i = 0; i < mr.length(); i += 8) {
      assertEquals(0x1111111111111111L, mr.segment().get(ValueLayout.JAVA_LONG, i));
    }
  }

  @ParameterizedTest
  @CsvSource({"7fffffff, 62", "80000000, 62", "80000001, 61", "ffffffff, 61", "00100001, 62"})
  @DisplayName("R-06: lengths of a read up to 2^32 - 1: none wraps, more than 2^31 is invalid")
  void lengths(String length, String nak) {
    Packet p = packet(BthOpcode.RC_RDMA_READ_REQUEST.value(), FIRST_PSN, 0);
    p.dmaLength = Integer.parseUnsignedInt(length, 16);
    assertNull(arrive(p));
    assertEquals(List.of(Integer.parseInt(nak, 16)), answers);
  }

  @Test
  @DisplayName("R-06: a duplicate of a read may not reach further than the first one could")
  void duplicateRead() {
    Packet read = packet(BthOpcode.RC_RDMA_READ_REQUEST.value(), FIRST_PSN, 0);
    read.dmaLength = 8;
    assertNull(arrive(read));
    assertEquals(List.of(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY.value()), answers);
    answers.clear();
    for (long address : new long[] {-8, -1, Long.MAX_VALUE, rig.b().mr.iova() + (1 << 20) - 7}) {
      read.remoteAddress = address;
      assertNull(arrive(read));
      assertEquals(List.of(), answers, "no data from " + Long.toHexString(address));
    }
  }

  @Test
  @DisplayName(
      "R-07: a post copies its request once; what the poster changes later changes nothing")
  void postCopies() {
    Rig.Side a = rig.a();
    a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 42);
    SendWr wr =
        new SendWr(2)
            .wrId(7)
            .opcode(WrOpcode.RDMA_WRITE)
            .flags(SendFlags.SIGNALED)
            .rkey(rig.b().mr.rkey())
            .remoteAddr(rig.b().mr.iova())
            .addSge(a.mr.lkey(), a.mr.iova(), 8);
    List<Long> sent = new ArrayList<>();
    Consumer<Packet> note = p -> sent.add(p.remoteAddress ^ p.rkey ^ p.payload.length());
    rig.wire.loses(
        p -> {
          if (p.opcode == BthOpcode.RC_RDMA_WRITE_ONLY.value()) {
            note.accept(p);
            return sent.size() == 1; // so that it is sent again
          }
          return false;
        });
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
    wr.wrId(8).opcode(WrOpcode.SEND).rkey(0).remoteAddr(0).addSge(0, 0, 1 << 30);
    for (int i = 0; i < 1000 && sent.size() < 2; i++) {
      clock.advance(1_000_000);
      rig.settle();
    }
    assertEquals(2, sent.size());
    assertEquals(sent.get(0), sent.get(1), "sent again as it was posted");
    WorkCompletion wc = Rig.next(a.sendCq);
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(7, wc.wrId());
    assertEquals(42, rig.b().mr.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  @DisplayName("R-08: a region deregistered between two packets of a write: NAK access, no write")
  void deregisteredUnderWrite() {
    MemoryRegion gone = rig.b().pd.allocMemory(4096, 8, Rig.ALL_ACCESS);
    Packet first = packet(BthOpcode.RC_RDMA_WRITE_FIRST.value(), FIRST_PSN, MTU);
    first.rkey = gone.rkey();
    first.remoteAddress = gone.iova();
    first.dmaLength = 2 * MTU;
    assertNull(arrive(first));
    assertEquals(List.of(0x1f), answers);
    gone.close();
    answers.clear();
    Packet last = packet(BthOpcode.RC_RDMA_WRITE_LAST.value(), FIRST_PSN + 1, MTU);
    assertNull(arrive(last));
    assertEquals(List.of(NAK_ACCESS), answers);
    assertEquals(QpState.ERR, rig.b().qp.state());
  }

  private Packet write(BthOpcode opcode, int psn, int at, int value, int payload) {
    Packet p = packet(opcode.value(), FIRST_PSN + psn, 0);
    p.remoteAddress += at;
    p.dmaLength = opcode == BthOpcode.RC_RDMA_WRITE_FIRST ? 2 * MTU : payload;
    if (payload > 0) {
      byte[] data = new byte[payload];
      Arrays.fill(data, (byte) value);
      p.payload.add(MemorySegment.ofArray(data), 0, payload);
    }
    return p;
  }

  /**
   * The numbers of a capture: ib_write_bw of Linux 6.1, whose time-out was shorter than the way.
   */
  @Test
  @DisplayName(
      "F-07: a requester that counts one number too many after its time-out, as rdma_rxe does, is"
          + " refused and has written nothing elsewhere")
  void requesterOutOfStep() {
    BthOpcode first = BthOpcode.RC_RDMA_WRITE_FIRST;
    BthOpcode last = BthOpcode.RC_RDMA_WRITE_LAST;
    MemorySegment memory = rig.b().mr.segment();
    for (int message = 0; message < 2; message++) {
      int at = 2 * MTU * message;
      assertNull(arrive(write(first, 2 * message, at, 1, MTU)));
      assertNull(arrive(write(last, 2 * message + 1, at, 2, MTU)));
    }
    assertNull(arrive(write(first, 4, 4 * MTU, 3, MTU)));
    answers.clear();
    // message 1 is acknowledged while it is sent again: the rest of it is an empty write
    assertNull(arrive(write(BthOpcode.RC_RDMA_WRITE_ONLY, 2, 2 * MTU, 0, 0)));
    assertNull(arrive(write(first, 3, 2 * MTU, 9, MTU)));
    assertNull(arrive(write(last, 4, 2 * MTU, 9, MTU)));
    assertEquals(List.of(0x1f, 0x1f, 0x1f), answers, "duplicates, by their numbers");
    assertEquals(QpState.RTS, rig.b().qp.state());
    answers.clear();
    assertNull(arrive(write(first, 5, 4 * MTU, 9, MTU)));
    assertEquals(List.of(NAK_INVALID), answers, "IBA 9.7.4.1.1: FIRST within a message");
    assertEquals(QpState.ERR, rig.b().qp.state());
    for (int i = 0; i < 6; i++) {
      int expected = i == 5 ? 0 : i == 4 ? 3 : 1 + i % 2;
      assertEquals(expected, memory.get(ValueLayout.JAVA_BYTE, (long) i * MTU), "MTU " + i);
    }
  }

  @Test
  @DisplayName("R-12: MigReq is 1 in what we send, and both are taken")
  void migReq() {
    List<Boolean> sent = new ArrayList<>();
    rig.wire.loses(
        p -> {
          int length = codec.encode(p, bytes, 0);
          sent.add(length > 0 && (bytes.get(ValueLayout.JAVA_BYTE, 9) & 0x40) != 0);
          return p.slid == rig.b().lid();
        });
    Packet zero = packet(BthOpcode.RC_RDMA_WRITE_ONLY.value(), FIRST_PSN, 8);
    zero.migReq = false;
    assertNull(arrive(zero));
    assertNull(arrive(packet(BthOpcode.RC_RDMA_WRITE_ONLY.value(), FIRST_PSN + 1, 8)));
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    rig.settle();
    assertTrue(sent.size() >= 3, "two answers and a request");
    assertTrue(sent.stream().allMatch(b -> b), sent.toString());
    assertTrue(released > 0);
  }
}
