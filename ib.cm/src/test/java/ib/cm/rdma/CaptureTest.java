package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture;
import ib.core.spi.StandaloneFabric;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("captures say in words what connection managers say to each other")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaptureTest {
  private static final Pattern COMMENT = Pattern.compile("ICRC [ -~]*");

  /** One connection that is refused, and one that is made and ends, as the client's device sees. */
  private static void check(StandaloneFabric fabric, String one, String two) throws Exception {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    int port;
    String from;
    String to;
    try (World world = new World(fabric);
        RdmaListener listener = world.listen()) {
      InetAddress source = world.address(one);
      from = source.getHostAddress();
      to = world.address(two).getHostAddress();
      port = listener.localAddress().getPort();
      PacketCapture capture = fabric.service(one, PacketCapture.class);
      try (var session = capture.start(Channels.newChannel(file), PacketCapture.Filter.ALL)) {
        RdmaOptions options = RdmaOptions.rc().from(new InetSocketAddress(source, 0));
        Party mine = new Party();
        Party theirs = new Party();
        InetSocketAddress at = new InetSocketAddress(world.address(two), port);
        RdmaConnection refused = world.client.start(at, options, mine, mine);
        world.request().reject(new byte[] {'n', 'o'});
        assertEquals("RDMA_CM_EVENT_REJECTED, error 28", mine.hear());
        refused.close();
        RdmaConnection a = world.client.start(at, options, mine, mine);
        RdmaConnection p = world.request().accept(RdmaOptions.rc(), theirs, theirs);
        assertEquals("ESTABLISHED", mine.hear());
        assertEquals("ESTABLISHED", theirs.hear());
        a.disconnect();
        assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", mine.hear());
        assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", theirs.hear());
        a.close();
        p.close();
        assertEquals(0, session.dropped());
      }
    }
    String comments =
        COMMENT
            .matcher(file.toString(StandardCharsets.ISO_8859_1))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.joining("\n"));
    for (String kind : new String[] {"REQ", "REJ", "REP", "RTU", "DREQ", "DREP"}) {
      has(comments, "ICRC ok; CM " + kind + " id 0x[0-9a-f]{8}, ");
    }
    has(comments, String.format("service 0x%016x \\(TCP port %d\\)", 0x106_0000 + port, port));
    has(comments, Pattern.quote(from) + " port [0-9]+ connects to " + Pattern.quote(to));
    has(comments, "of the REQ, reason 28: the program at the other end .*, private data 6e6f");
  }

  private static void has(String comments, String pattern) {
    assertTrue(Pattern.compile(pattern).matcher(comments).find(), pattern + " in\n" + comments);
  }

  @Test
  @DisplayName("on a fabric, behind LRH and GRH")
  void fabric() throws Exception {
    check(SoftFabric.open("soft0", "soft1"), "soft0", "soft1");
  }

  @Test
  @DisplayName("over UDP, behind Ethernet and IP")
  void udp() throws Exception {
    check(RxeHost.open("127.0.45.1", "127.0.45.2"), "rxe0", "rxe1");
  }
}
