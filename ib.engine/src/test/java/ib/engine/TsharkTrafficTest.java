package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 3, section 4: tshark reads what the engine really sends (needs tshark)")
class TsharkTrafficTest {
  private static final int LONG = 2500; // three packets
  private static final Consumer<QueuePair> NOTHING = qp -> {};

  @BeforeAll
  static void needsTshark() {
    Tshark.require();
  }

  /** Posts one request and waits until it is done. */
  private static void run(Rig rig, Consumer<QueuePair> kind, Consumer<QueuePair> more, int length) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    kind.accept(a.qp);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    more.accept(a.qp);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
  }

  private static void receives(Rig rig, int n) {
    Rig.Side b = rig.b();
    for (int i = 0; i < n; i++) {
      assertEquals(PostStatus.OK, b.qp.postReceive(i, b.mr.lkey(), b.mr.iova() + 8192L * i, 8192));
    }
  }

  private static List<Map<String, String>> decoded(Path folder, QpType type, Consumer<Rig> traffic)
      throws Exception {
    Path file = folder.resolve(type + ".pcapng");
    String own;
    try (Rig rig = Rig.two().connect(type)) {
      own = String.valueOf(rig.a().qp.qpn());
      receives(rig, 16);
      FileChannel sink =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try (Session session = rig.a().capture.start(sink, Filter.ALL)) {
        traffic.accept(rig);
        assertEquals(0, session.dropped());
      }
    }
    List<Map<String, String>> rows =
        Tshark.decode(
            file,
            "_ws.malformed",
            "frame.comment",
            "frame.interface_queue",
            "infiniband.bth.opcode",
            "infiniband.bth.psn");
    for (Map<String, String> row : rows) {
      assertEquals("", row.get("_ws.malformed"), row.toString());
      assertEquals("ICRC ok", row.get("frame.comment"), row.toString());
      assertEquals(own, row.get("frame.interface_queue"), row.toString());
    }
    return rows;
  }

  private static Set<Integer> opcodes(List<Map<String, String>> rows) {
    return rows.stream()
        .map(r -> Integer.decode(r.get("infiniband.bth.opcode")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void reliable(@TempDir Path folder) throws Exception {
    List<Map<String, String>> rows =
        decoded(
            folder,
            QpType.RC,
            rig -> {
              int rkey = rig.b().mr.rkey();
              long to = rig.b().mr.iova();
              for (int length : new int[] {0, 13, LONG}) {
                run(rig, QueuePair::wrSend, NOTHING, length);
                run(rig, qp -> qp.wrSendImm(0x01020304), NOTHING, length);
                run(rig, qp -> qp.wrRdmaWrite(rkey, to), NOTHING, length);
                run(rig, qp -> qp.wrRdmaWriteImm(rkey, to, 5), NOTHING, length);
                run(rig, qp -> qp.wrRdmaRead(rkey, to), NOTHING, length);
              }
            });
    Set<Integer> expected = new TreeSet<>();
    for (int op = 0; op <= 0x11; op++) {
      expected.add(op); // SEND_FIRST to ACKNOWLEDGE
    }
    assertEquals(expected, opcodes(rows));
    List<Integer> psns =
        rows.stream()
            .filter(r -> Integer.decode(r.get("infiniband.bth.opcode")) <= 0x0C)
            .map(r -> Integer.decode(r.get("infiniband.bth.psn")))
            .toList();
    assertTrue(psns.indexOf(0) > psns.indexOf(0xffffff), "sequence numbers wrap");
  }

  @Test
  void unreliable(@TempDir Path folder) throws Exception {
    List<Map<String, String>> rows =
        decoded(
            folder,
            QpType.UC,
            rig -> {
              for (int length : new int[] {13, LONG}) {
                run(rig, QueuePair::wrSend, NOTHING, length);
                run(
                    rig,
                    qp -> qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova()),
                    NOTHING,
                    length);
              }
            });
    assertEquals(Set.of(0x20, 0x21, 0x22, 0x24, 0x26, 0x27, 0x28, 0x2A), opcodes(rows));
  }

  @Test
  void datagrams(@TempDir Path folder) throws Exception {
    List<Map<String, String>> rows =
        decoded(
            folder,
            QpType.UD,
            rig -> {
              AddressHandle ah = rig.a().pd.createAh(AhAttr.ofLid(1, rig.b().lid(), 0));
              Consumer<QueuePair> there = qp -> qp.wrSetUdAddress(ah, rig.b().qp.qpn(), Rig.QKEY);
              run(rig, QueuePair::wrSend, there, 13);
              run(rig, qp -> qp.wrSendImm(7), there, 1000);
            });
    assertEquals(Set.of(0x64, 0x65), opcodes(rows));
  }
}
