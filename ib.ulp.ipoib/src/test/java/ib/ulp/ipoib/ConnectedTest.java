package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 3: connected mode between soft devices in one JVM")
@Timeout(600)
class ConnectedTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private static final LinkConfig CONNECTED = LinkConfig.DEFAULT.withConnected(true);
  private static final Ip TO_B = Ip.parse("10.96.0.2");
  private final Lab lab = new Lab(2, CONNECTED, name -> Backend.inJvm());
  private NetIf a;
  private NetIf b;

  @BeforeEach
  void addresses() {
    a = lab.stack("ib0");
    b = lab.stack("ib1");
    a.address(Ip.parse("10.96.0.1"), 24);
    b.address(Ip.parse("10.96.0.2"), 24);
    a.address(Ip.parse("fd00::1"), 64);
    b.address(Ip.parse("fd00::2"), 64);
    lab.up("ib0");
    lab.up("ib1");
  }

  @AfterEach
  void close() {
    lab.close();
  }

  @ParameterizedTest(name = "{0}, {1} bytes")
  @CsvSource({"10.96.0.2, 60000", "10.96.0.2, 65492", "10.96.0.2, 56", "fd00::2, 60000"})
  @DisplayName("C1, I9: ping up to the MTU of 65520 by a reliable connection")
  void ping(String to, int bytes) throws Exception {
    assertEquals(65_520, lab.device("ib0").state().mtu());
    assertTrue(a.ping(Ip.parse(to), bytes, PATIENCE_NS).get() > 0);
    assertTrue(a.ping(Ip.parse(to), bytes, PATIENCE_NS).get() > 0);
    Lab.await(
        () -> lab.device("ib0").connections().toString().contains("ESTABLISHED, mtu 65520"),
        "connection");
  }

  @Test
  @DisplayName("W4, C6: the flag of RC, the MTU and the connections come and go with the mode")
  void modeSwitch() throws Exception {
    assertTrue(a.ping(TO_B, 60_000, PATIENCE_NS).get() > 0);
    assertEquals(LinkAddress.RC, lab.device("ib0").state().address().flags());
    assertEquals("datagram", NetifCommand.run(lab.ipoib, "mode", "ib0", "datagram"));
    assertEquals(0, lab.device("ib0").state().address().flags());
    assertEquals(2044, lab.device("ib0").state().mtu());
    assertEquals(Map.of(), lab.device("ib0").connections());
    Lab.await(() -> lab.device("ib1").connections().isEmpty(), "the peer was told");
    assertTrue(a.ping(TO_B, 2016, PATIENCE_NS).get() > 0);
    assertEquals("connected", NetifCommand.run(lab.ipoib, "mode", "ib0", "connected"));
    assertTrue(NetifCommand.run(lab.ipoib, "show", "ib0").contains("mtu 65520 mode connected"));
    String changed = "10.96.0.1=80:"; // the flag of RC; an answer of 60,000 bytes is dropped before
    Lab.await(() -> lab.device("ib1").neighbours().toString().contains(changed), "the new address");
    assertTrue(a.ping(TO_B, 60_000, PATIENCE_NS).get() > 0);
  }

  @Test
  @DisplayName("C6: the paths are flushed with the mode")
  void modeFlushesPaths() throws Exception {
    assertTrue(a.ping(TO_B, 56, PATIENCE_NS).get() > 0);
    assertFalse(lab.device("ib0").paths().isEmpty());
    long asked = paths();
    lab.device("ib0").connected(false);
    assertTrue(a.ping(TO_B, 56, PATIENCE_NS).get() > 0);
    assertTrue(paths() > asked, "asked again");
  }

  private long paths() {
    return lab.subnet.log.stream().filter(l -> l.startsWith("path ")).count();
  }

  @Test
  @DisplayName("C1, I10: towards a peer without connected mode the MTU is that of a datagram")
  void mixed() throws Exception {
    lab.device("ib1").connected(false);
    assertTrue(a.ping(TO_B, 2016, PATIENCE_NS).get() > 0);
    ExecutionException tooLong =
        assertThrows(ExecutionException.class, () -> a.ping(TO_B, 60_000, PATIENCE_NS).get());
    assertTrue(tooLong.getMessage().contains("at most 2044"), tooLong.getMessage());
    assertTrue(lab.device("ib0").statistics().get("drop_tx_too_long") >= 1);
    assertTrue(lab.device("ib0").statistics().get("tx_errors") >= 1);
    assertTrue(b.ping(Ip.parse("10.96.0.1"), 2016, PATIENCE_NS).get() > 0);
  }

  @Test
  @DisplayName("I10: a group takes no more than a datagram, also in connected mode")
  void groups() throws Exception {
    long before = lab.device("ib0").statistics().getOrDefault("drop_tx_too_long", 0L);
    a.send(7, Ip.parse("239.1.2.3"), 7, new byte[3000]).get();
    Lab.await(
        () -> lab.device("ib0").statistics().getOrDefault("drop_tx_too_long", 0L) > before, "I10");
  }

  @Test
  @DisplayName("1.6: removed with connections up and half open: no queue pair, no thread is left")
  void remove() {
    for (int i = 0; i < 20; i++) {
      lab.plug();
      lab.up("ib2");
      NetIf third = lab.stack("ib2");
      third.address(Ip.parse("10.96.0.3"), 24);
      third.ping(Ip.parse("10.96.0.1"), 30_000, PATIENCE_NS);
      var last = third.ping(TO_B, 30_000, PATIENCE_NS);
      for (int spin = 0; spin < i * 20_000 && !last.isDone(); spin++) {
        Thread.onSpinWait(); // each time further
      }
      lab.unplug(2); // which looks for leaks
      assertTrue(
          Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().endsWith("ib2")));
    }
  }
}
