package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.PacketCapture;
import ib.driver.soft.Opensm;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 5, section 3: tshark decodes the messages of connected mode (needs tshark)")
@Timeout(600)
class ConnectedFramesTest {
  private static final List<String> MESSAGES =
      List.of(
          "ConnectRequest", "ConnectReply", "ReadyToUse", "DisconnectRequest", "DisconnectReply");

  @TempDir Path dir;

  @Test
  @DisplayName(
      "W13, W14: REQ, REP, RTU, DREQ, DREP, and packets in several segments; none malformed")
  void decoded() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    Path file = dir.resolve("connected.pcapng");
    LinkConfig connected = LinkConfig.DEFAULT.withConnected(true);
    try (Lab lab = new Lab(2, connected, name -> Backend.inJvm())) {
      lab.up("ib0");
      lab.up("ib1");
      NetIf a = lab.stack("ib0");
      a.address(Ip.parse("10.96.0.1"), 24);
      lab.stack("ib1").address(Ip.parse("10.96.0.2"), 24);
      FileChannel sink =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      try (PacketCapture.Session session =
          lab.nodes.get(1).capture().start(sink, PacketCapture.Filter.ALL)) {
        assertTrue(a.ping(Ip.parse("10.96.0.2"), 9000, 60_000_000_000L).get() > 0);
        lab.device("ib0").connected(false);
        Lab.await(() -> lab.device("ib1").connections().isEmpty(), "the peer was told");
        assertEquals(0, session.dropped());
      }
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    String messages = Opensm.tshark(dir, file, "infiniband.mad.mgmtclass == 0x07");
    for (String message : MESSAGES) {
      assertTrue(messages.contains("CM: " + message), message + "\n" + messages);
    }
    String first = "infiniband.bth.opcode == 0"; // RC SEND First: a packet longer than the path MTU
    assertTrue(!Opensm.tshark(dir, file, first).isEmpty(), Opensm.tshark(dir, file, "frame"));
  }
}
