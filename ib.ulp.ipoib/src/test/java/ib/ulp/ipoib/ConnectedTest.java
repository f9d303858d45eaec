package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 3: connected mode between soft devices in one JVM")
@Timeout(120)
class ConnectedTest {
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final LinkConfig CONNECTED = LinkConfig.DEFAULT.withConnected(true);
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
}
