package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.sa.NodeRecord;
import ib.core.sa.SaClient;
import ib.core.spi.PacketCapture;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Section 2: tshark reads management datagrams field by field")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ManagementCaptureTest {
  private static final int NODES = 4; // three adapters and the switch
  private static final int RECORD = 112; // of a NodeRecord, padded to 8
  private static final int SA_HEADER = 20;
  private static final int SEGMENT = 200;

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void tshark() {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    file = dir.resolve("mads.pcapng");
  }

  private PacketCapture.Session capture(PacketCapture of) throws Exception {
    return of.start(
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PacketCapture.Filter.ALL);
  }

  private long seen(String filter) throws Exception {
    return Opensm.tshark(dir, file, filter).lines().count();
  }

  @Test
  @DisplayName("M7 RMPP: segments, their flags and lengths, the window of the acknowledgements")
  void rmpp() throws Exception {
    try (Lab lab = new Lab("a", "b", "c");
        SaClient sa = SaClient.open(lab.lease("a"), 1)) {
      try (PacketCapture.Session session = capture(lab.captures().getFirst())) {
        assertEquals(NODES, sa.getTable(new NodeRecord(), 20_000).join().size());
        OpensmTest.await("the acknowledgements are recorded", () -> session.written() >= 5);
      }
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    int bytes = NODES * RECORD;
    int segments = (bytes + SEGMENT - 1) / SEGMENT;
    String data = "infiniband.rmpp.rmpptype == 1 && infiniband.mad.method == 0x92 && ";
    String number = "infiniband.rmpp.segmentnumber == ";
    String length = " && infiniband.rmpp.payloadlength == ";
    assertTrue(segments >= 3, segments + " segments");
    int whole = bytes + segments * SA_HEADER;
    assertTrue(seen(data + number + 1 + length + whole) >= 1, "first: the length of all");
    assertTrue(seen(data + number + 2 + length + 0) >= 1, "in the middle: none");
    int rest = bytes - (segments - 1) * SEGMENT + SA_HEADER;
    assertTrue(seen(data + number + segments + length + rest) >= 1, "last: its own");
    assertEquals(0, seen(data + number + (segments + 1)));
    String acknowledged = "infiniband.rmpp.rmpptype == 2 && ";
    assertTrue(seen(acknowledged + number + 1 + " && infiniband.rmpp.newwindowlast > 1") >= 1);
  }

  @Test
  @DisplayName("IBA 14.2.5.1 trap 258: LIDs, key, service level and queue pairs where they belong")
  void trap() throws Exception {
    String filter;
    try (Lab lab = new Lab("soft0", "soft1");
        TrapSink sink = new TrapSink(lab.fabric.subnetOf("soft0")).represses(true)) {
      Side a = lab.side("soft0");
      Side b = lab.side("soft1");
      Side.connect(QpType.UD, a, b, Mtu.MTU_4096);
      try (PacketCapture.Session session = capture(lab.captures().get(1))) {
        TrapTest.datagram(a, b, 0x22222222);
        sink.await(258);
        assertEquals(0, session.dropped());
      }
      filter =
          "infiniband.notice.trapnumberdeviceid == 258 && infiniband.trap.lidaddr1 == %d"
                  .formatted(a.lid())
              + " && infiniband.trap.lidaddr2 == %d".formatted(b.lid())
              + " && infiniband.trap.key == 0x22222222 && infiniband.trap.sl == 3"
              + " && infiniband.trap.qp1 == %d".formatted(a.qp.qpn())
              + " && infiniband.trap.qp2 == %d".formatted(b.qp.qpn());
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    assertTrue(seen(filter) >= 1, filter);
  }
}
