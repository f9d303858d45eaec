package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmFailure;
import ib.cm.CmHandler;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRejectedException;
import ib.core.mad.cm.CmReason;
import ib.core.verbs.IbDevice;
import ib.tools.diags.Failures;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.rdmacm.CmWorld.Run;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 14, section 4: ib:why for a connection that failed")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailuresTest {
  private final CmWorld world = new CmWorld(Rping::run);

  private String why(String line) {
    Object shown =
        Failures.run(List.of(world.manager()), Clock.systemDefaultZone(), line.split(" "));
    return ((Printable) shown).text();
  }

  @Test
  @DisplayName("no device, nothing listens, the program refuses, the device goes; the latest 64")
  void reasons() throws Exception {
    assertTrue(Failures.asked("-j", "-c") && !Failures.asked("7"));
    CommandException none = assertThrows(CommandException.class, () -> why("-c"));
    assertEquals("ib:why: no connection has failed lately", none.getMessage());
    world.start("-c -a 192.0.2.1").failed();
    String noDevice = why("-c 192.0.2.1");
    assertTrue(noDevice.contains("RDMA_CM_EVENT_ADDR_ERROR, error -19\n  likely: no "), noDevice);
    assertTrue(noDevice.contains("\n  try: ibv_devinfo -v"), noDevice);

    world.start("-c -p 7190 -a " + world.address()).failed();
    String nothing = why("-c :7190");
    assertTrue(nothing.contains(" on soft0 by rping:"), nothing);
    assertTrue(nothing.contains("error 8\n  likely: rejected, reason 8: nothing"), nothing);
    assertTrue(nothing.contains("\n  try: whether the server runs"), nothing);

    refusedAndSilent();
    String refused = why("-c :7191");
    assertTrue(refused.contains("error 28\n  likely: rejected, reason 28: the program"), refused);
    String silent = why("-c :7193");
    assertTrue(silent.contains("UNREACHABLE, error -110\n  likely: no answer to up to 1"), silent);

    Run server = world.start("-s -P -p 7192 -a " + world.address()).listening();
    Run pings = world.start("-c -v -p 7192 -a " + world.address()).begun();
    world.fabric().unplug("soft0");
    pings.failed();
    String removed = why("-c :7192");
    assertTrue(removed.contains("RDMA_CM_EVENT_DEVICE_REMOVAL, error 0"), removed);
    assertTrue(why("-c -j :7192").contains("\"likely\":\"the device goes\""), why("-c -j :7192"));
    server.interrupt();
    server.failed();
    for (int i = 0; i < 70; i++) {
      world.start("-c -a 192.0.2.2").failed();
    }
    assertEquals(64, world.manager().failures().size());
    assertTrue(!why("-c").contains("192.0.2.1:"), "the oldest have gone");
    world.close();
  }

  @ParameterizedTest(name = "reason {0}")
  @ValueSource(ints = {1, 3, 4, 8, 9, 10, 12, 24, 26, 27, 28, 30, 34, 35})
  @DisplayName(
      "CM-9, API-8: each reason of a rejection in words, with what to try; also one of no table")
  void everyReason(int code) throws Exception {
    long service = 0x106_0000L + 7194;
    try (CmPort rejects = world.manager().open("soft1", 1);
        RdmaCm cm = RdmaCm.open(world.fabric().core(), world.manager(), "rejected");
        CmListener listener =
            rejects.listen(
                service,
                1,
                (c, event) -> {
                  if (event instanceof CmEvent.Requested) {
                    c.reject(code, new byte[] {1}, new byte[0]);
                  }
                })) {
      assertEquals(service, listener.serviceId());
      InetSocketAddress at = new InetSocketAddress(InetAddress.getByName(world.address()), 7194);
      TimedEnd end = new TimedEnd(new Program("rejected"));
      RdmaConnection c = cm.start(at, RdmaOptions.rc(), end, end);
      RdmaEnd how = c.ended().get();
      assertEquals(RdmaEnd.Kind.REJECTED, how.kind());
      RdmaRejectedException why = assertInstanceOf(RdmaRejectedException.class, how.why());
      assertEquals(code, why.reason());
      assertEquals(1, why.info()[0], "CM-9: what the peer would accept");
      c.close();
    }
    String text = why("-c :7194");
    CmReason known = CmReason.of(code);
    String words = known == null ? "see IBA table 108" : known.text();
    String likely = "error " + code + "\n  likely: rejected, reason " + code + ": " + words;
    String hint = known == null ? "" : known.hint();
    assertTrue(text.endsWith(likely + (hint.isEmpty() ? "" : "\n  try: " + hint)), text);
    world.close();
  }

  @Test
  @DisplayName("connections and questions by service ID: refused, unanswered, a device that goes")
  void byServiceId() throws Exception {
    CmTerms soon = new CmTerms(7, 16, 3, 0, 0);
    IbDevice device = world.fabric().device("soft0");
    IbDevice peer = world.fabric().device("soft1");
    CmPath path = CmPath.inSubnet(device, 1, peer.port(1).lid(), peer.gid(1, 0));
    long silent = 0x1000_0000_0000_0042L;
    try (CmPort other = world.manager().open("soft1", 1)) {
      other.listen(silent, 4, (c, event) -> {});
      try (CmPort asks = world.manager().open("soft0", 1, "by-id")) {
        assertEquals(
            "REJECTED, reason 8", raw(asks, path, 0x1000_0000_0000_0041L, CmTerms.DEFAULT));
        String rejected = why("-c 0x1000000000000041");
        String what = "connect to service 0x1000000000000041 at " + world.address();
        assertTrue(rejected.contains(" " + what + " on soft0 by by-id\n  REJECTED"), rejected);
        assertTrue(rejected.contains("likely: rejected, reason 8: nothing listens"), rejected);
        assertEquals("UNREACHABLE", raw(asks, path, silent, soon));
        String text = why("-c 0x1000000000000042");
        assertTrue(text.contains("likely: no answer\n  try: whether "), text);
        var question = asks.resolve(0x1000_0000_0000_0043L, path, CmTerms.DEFAULT, new byte[0]);
        assertThrows(ExecutionException.class, question::get);
        String unresolved = why("-c 0x1000000000000043");
        assertTrue(unresolved.contains("UNRESOLVED\n  likely: refused, status 1"), unresolved);
        CmConnection left =
            asks.connect(silent, path, end(), CmTerms.DEFAULT, new byte[0], quiet());
        assertEquals("REQ_SENT", left.state());
      }
      assertEquals(3, mine().size(), "its user has closed the fourth");
      CmPort asks = world.manager().open("soft0", 1);
      asks.connect(silent, path, end(), CmTerms.DEFAULT, new byte[0], quiet());
      world.fabric().unplug("soft0"); // the listener is still there, and has not refused
      String gone = why("-c ib.cm");
      assertTrue(gone.contains(" on soft0 by ib.cm\n  REMOVED\n  likely: the device goes"), gone);
    }
    world.close();
  }

  /** {@return the failures of the side that asks} */
  private List<CmFailure> mine() {
    return world.manager().failures().stream().filter(f -> f.owner().equals("by-id")).toList();
  }

  private static CmEndpoint end() {
    return CmEndpoint.of(77, 1);
  }

  private static CmHandler quiet() {
    return (c, event) -> {};
  }

  /** Connects by service ID; {@return the end as the book has it} */
  private String raw(CmPort asks, CmPath path, long service, CmTerms terms) throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    CmHandler handler =
        (c, event) -> {
          if (event instanceof CmEvent.Ended) {
            ended.countDown();
          }
        };
    asks.connect(service, path, end(), terms, new byte[0], handler);
    assertTrue(ended.await(1, TimeUnit.MINUTES));
    return mine().getLast().end();
  }

  /** One listener refuses, another one says nothing. */
  private void refusedAndSilent() throws Exception {
    CmTerms soon = new CmTerms(7, 16, 10, 0, 0);
    InetAddress at = InetAddress.getByName(world.address());
    try (RdmaCm cm = RdmaCm.open(world.fabric().core(), world.manager(), "refuser")) {
      cm.listen(new InetSocketAddress(at, 7191), PortSpace.TCP, 0, r -> r.reject(new byte[0]));
      cm.listen(new InetSocketAddress(at, 7193), PortSpace.TCP, 0, r -> {});
      for (int port : new int[] {7191, 7193}) {
        TimedEnd end = new TimedEnd(new Program("refuser"));
        RdmaOptions how = RdmaOptions.rc().terms(soon);
        cm.start(new InetSocketAddress(at, port), how, end, end).ended().get();
      }
    }
  }
}
