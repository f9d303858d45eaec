package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.LinkLayer;
import ib.core.wire.BthOpcode;
import ib.core.wire.ExtendedHeader;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("issue 3, section 4: tshark reads every packet that can be emitted (needs tshark)")
class TsharkOpcodesTest {
  private static final Set<BthOpcode> UNKNOWN_TO_TSHARK_4_0 =
      Set.of(BthOpcode.RC_FLUSH, BthOpcode.RC_ATOMIC_WRITE, BthOpcode.CNP);
  private static final int DEST_QPN = 0x123456;
  private static final int SOURCE_QPN = 0x654321;
  private static final long ADDRESS = 0x1122334455667788L;
  private static final String[] FIELDS = {
    "_ws.malformed",
    "frame.comment",
    "frame.interface_name",
    "infiniband.lrh.slid",
    "infiniband.lrh.dlid",
    "infiniband.grh.dgid",
    "ip.dst",
    "ipv6.dst",
    "udp.dstport",
    "infiniband.bth.opcode",
    "infiniband.bth.se",
    "infiniband.bth.p_key",
    "infiniband.bth.destqp",
    "infiniband.bth.psn",
    "infiniband.bth.padcnt",
    "infiniband.bth.a",
    "infiniband.deth.q_key",
    "infiniband.deth.srcqp",
    "infiniband.reth.va",
    "infiniband.reth.r_key",
    "infiniband.reth.dmalen",
    "infiniband.aeth.syndrome",
    "infiniband.aeth.msn",
    "infiniband.atomiceth.swapdt",
    "infiniband.atomiceth.cmpdt",
    "infiniband.atomicacketh.origremdt",
    "infiniband.immdt",
    "infiniband.ieth",
    "infiniband.invariant.crc",
  };

  private final MemorySegment data = Arena.ofAuto().allocate(4096);

  /** Where the packets lie. */
  enum Medium {
    LOCAL(LinkLayer.INFINIBAND),
    GLOBAL(LinkLayer.INFINIBAND),
    IPV4(LinkLayer.ETHERNET),
    IPV6(LinkLayer.ETHERNET);

    private final LinkLayer link;

    Medium(LinkLayer link) {
      this.link = link;
    }
  }

  @BeforeAll
  static void needsTshark() {
    Tshark.require();
  }

  private static final class Owner extends PacketOwner {
    @Override
    protected void released(Packet packet, RunContext run) {
      packet.free();
    }

    @Override
    protected Packet replicate(Packet original) {
      return null;
    }
  }

  /** Takes everything. */
  private static final class Sink implements Wire {
    @Override
    public void transmit(Packet packet, RunContext run) {
      packet.release(run);
    }

    @Override
    public boolean segments() {
      return false;
    }
  }

  private Packet packet(BthOpcode opcode, Medium medium) {
    Packet p = new Packet(new Owner());
    p.occupy();
    p.opcode = opcode.value();
    p.slid = 3;
    p.dlid = 5;
    p.global = medium != Medium.LOCAL;
    p.hopLimit = 64;
    p.sgidHigh = medium == Medium.IPV4 ? 0 : 0xfe80L << 48;
    p.sgidLow = medium == Medium.IPV4 ? 0xffff_0a4e_0002L : 0x10;
    p.dgidHigh = medium == Medium.IPV4 ? 0 : 0xfe80L << 48;
    p.dgidLow = medium == Medium.IPV4 ? 0xffff_0a4e_0003L : 0x20;
    p.solicited = true;
    p.ackRequest = true;
    p.pkey = 0xffff;
    p.destQpn = DEST_QPN;
    p.sourceQpn = SOURCE_QPN;
    p.psn = 0x00abcd + opcode.value();
    p.psnCount = 1;
    p.qkey = 0x11111111;
    p.remoteAddress = ADDRESS;
    p.rkey = 0x99887766;
    p.dmaLength = 1000;
    p.syndrome = 0x1f;
    p.msn = 0x77;
    p.swapAdd = 0x0102030405060708L;
    p.compare = 0x1112131415161718L;
    p.immData = 0x51525354;
    p.payload.add(data, 0, payload(opcode));
    return p;
  }

  private static int payload(BthOpcode opcode) {
    int length = 0;
    for (int n : new int[] {13, 1024, 8, 16, 0}) {
      if (opcode.payload().possible(n)) {
        length = n;
        break;
      }
    }
    return length;
  }

  @ParameterizedTest
  @EnumSource(Medium.class)
  void everyOpcode(Medium medium, @TempDir Path folder) throws Exception {
    Path file = folder.resolve(medium + ".pcapng");
    try (Capture capture = new Capture("soft0", 1, medium.link, NanoClock.SYSTEM, b -> {});
        Session session =
            capture.start(
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                Filter.ALL)) {
      CapturingWire wire = new CapturingWire(new Sink(), capture, 1);
      assertTrue(wire.segments(), "real packets while a capture runs");
      for (BthOpcode opcode : BthOpcode.values()) {
        wire.transmit(packet(opcode, medium), null);
      }
      assertEquals(0, session.dropped());
    }
    List<Map<String, String>> rows = Tshark.decode(file, FIELDS);
    assertEquals(BthOpcode.values().length, rows.size());
    for (int i = 0; i < rows.size(); i++) {
      check(BthOpcode.values()[i], medium, rows.get(i));
    }
  }

  private static void check(BthOpcode opcode, Medium medium, Map<String, String> row) {
    String what = opcode + " " + row;
    assertEquals("", row.get("_ws.malformed"), what);
    assertEquals("ICRC ok", row.get("frame.comment"), what);
    assertEquals("soft0/1", row.get("frame.interface_name"), what);
    boolean link = medium.link == LinkLayer.INFINIBAND;
    assertEquals(link ? "3" : "", row.get("infiniband.lrh.slid"), what);
    assertEquals(link ? "5" : "", row.get("infiniband.lrh.dlid"), what);
    assertEquals(medium == Medium.GLOBAL ? "fe80::20" : "", row.get("infiniband.grh.dgid"), what);
    assertEquals(medium == Medium.IPV4 ? "10.78.0.3" : "", row.get("ip.dst"), what);
    assertEquals(medium == Medium.IPV6 ? "fe80::20" : "", row.get("ipv6.dst"), what);
    assertEquals(link ? "" : "4791", row.get("udp.dstport"), what);
    assertEquals(String.valueOf(opcode.value()), row.get("infiniband.bth.opcode"), what);
    assertEquals("1", row.get("infiniband.bth.se"), what);
    assertEquals("65535", row.get("infiniband.bth.p_key"), what);
    assertEquals("0x123456", row.get("infiniband.bth.destqp"), what);
    assertEquals(String.valueOf(0x00abcd + opcode.value()), row.get("infiniband.bth.psn"), what);
    assertEquals(String.valueOf(-payload(opcode) & 3), row.get("infiniband.bth.padcnt"), what);
    assertEquals("1", row.get("infiniband.bth.a"), what);
    if (UNKNOWN_TO_TSHARK_4_0.contains(opcode)) {
      return; // newer than it: BTH is all that it takes apart
    }
    header(opcode, ExtendedHeader.DETH, "infiniband.deth.srcqp", "0x00654321", row);
    header(opcode, ExtendedHeader.DETH, "infiniband.deth.q_key", "0x0000000011111111", row);
    ExtendedHeader keyed = // the dissector has one name for the keys of both headers
        opcode.has(ExtendedHeader.RETH) ? ExtendedHeader.RETH : ExtendedHeader.ATOMIC_ETH;
    header(opcode, keyed, "infiniband.reth.r_key", "0x99887766", row);
    header(opcode, keyed, "infiniband.reth.va", "0x1122334455667788", row);
    header(opcode, ExtendedHeader.RETH, "infiniband.reth.dmalen", "1000", row);
    header(opcode, ExtendedHeader.AETH, "infiniband.aeth.syndrome", "31", row);
    header(opcode, ExtendedHeader.AETH, "infiniband.aeth.msn", "119", row);
    header(
        opcode, ExtendedHeader.ATOMIC_ETH, "infiniband.atomiceth.swapdt", "72623859790382856", row);
    header(
        opcode,
        ExtendedHeader.ATOMIC_ETH,
        "infiniband.atomiceth.cmpdt",
        "1230066625199609624",
        row);
    header(
        opcode,
        ExtendedHeader.ATOMIC_ACK_ETH,
        "infiniband.atomicacketh.origremdt",
        "72623859790382856",
        row);
    header(opcode, ExtendedHeader.IMM_DT, "infiniband.immdt", "51525354", row);
    header(opcode, ExtendedHeader.IETH, "infiniband.ieth", "99887766", row);
    assertTrue(row.get("infiniband.invariant.crc").startsWith("0x"), what);
  }

  private static void header(
      BthOpcode opcode,
      ExtendedHeader header,
      String field,
      String value,
      Map<String, String> row) {
    assertEquals(opcode.has(header) ? value : "", row.get(field), opcode + " " + field + " " + row);
  }
}
