package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.tools.getopt.CommandException;
import ib.tools.rdmacm.Rping;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Connects on the host's device, which must be one of RoCE with an IPv4 address. */
@DisplayName("issue 17, V8: connections by the kernel's connection manager")
@EnabledIfSystemProperty(
    named = VerbsBench.DEVICE,
    matches = ".+",
    disabledReason = "no RDMA device of the host was named: VerbsIT runs it in the Linux peer")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostConnectionsTest {
  private static final String DEVICE = System.getProperty(VerbsBench.DEVICE, "");
  private static final String PINGS = "-C 3 -v -V";
  private static final String LAST =
      "ping data: rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst";

  private final StandaloneFabric fabric =
      StandaloneFabric.options(VerbsDriver.PID).device(DEVICE, Map.of()).open();
  private final CmClient manager = CmClient.create();
  private ClientRegistration registration;

  @BeforeEach
  void register() {
    registration = fabric.core().registerClient(manager);
  }

  @AfterEach
  void close() {
    registration.unregister();
    fabric.close();
  }

  /** {@return the first IPv4 address of the device} */
  private String address() throws Exception {
    try (DeviceLease lease = fabric.core().lease(DEVICE, "address")) {
      IbDevice device = lease.device();
      for (int i = 0; i < device.port(1).gidTableLen(); i++) {
        Gid gid = device.gid(1, i);
        if (gid.isIpv4Mapped()) {
          return InetAddress.getByAddress(gid.toBytes()).getHostAddress();
        }
      }
    }
    throw new AssertionError("no IPv4 address on " + DEVICE);
  }

  private static <T> FutureTask<T> start(Callable<T> what) {
    FutureTask<T> task = new FutureTask<>(what);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private List<String> ours(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    Rping.run(fabric.core(), manager, to, to, line.split(" "));
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> linux(String line) throws Exception {
    List<String> words = new ArrayList<>(List.of("timeout", "120", "rping"));
    words.addAll(List.of(line.split(" ")));
    Process p = new ProcessBuilder(words).redirectErrorStream(true).start();
    return new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> done(FutureTask<List<String>> task) throws Exception {
    try {
      return task.get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e);
    }
  }

  /** Waits until the server listens: a client is refused before. */
  private List<String> client(Callable<List<String>> run) throws Exception {
    for (int i = 0; i < 100; i++) {
      try {
        List<String> out = run.call();
        if (out.stream().noneMatch(l -> l.contains("REJECTED"))) {
          return out;
        }
      } catch (CommandException e) {
        if (!e.getMessage().contains("RDMA_CM_EVENT_REJECTED, error 8")) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(200); // the server's start is seen from outside only
    }
    throw new AssertionError("the server does not listen");
  }

  @Test
  @DisplayName("rping of ib at both ends: connect, accept, three validated pings, disconnect")
  void ours() throws Exception {
    String at = "-a " + address() + " ";
    var server = start(() -> ours("-s -v " + at));
    List<String> client = client(() -> ours("-c " + at + PINGS));
    assertTrue(client.contains(LAST), client.toString());
    List<String> served = done(server);
    assertTrue(served.contains("server " + LAST), served.toString());
    assertTrue(served.contains("server DISCONNECT EVENT..."), served.toString());
  }

  @Test
  @DisplayName("ib's rping connects to Linux's, and Linux's to ib's")
  void linux() throws Exception {
    String at = "-a " + address() + " ";
    var theirs = start(() -> linux("-s -v -p 7175 " + at));
    List<String> client = client(() -> ours("-c -p 7175 " + at + PINGS));
    assertTrue(client.contains(LAST), client.toString());
    List<String> served = done(theirs);
    assertTrue(served.contains("server " + LAST), served.toString());
    var mine = start(() -> ours("-s -v -p 7176"));
    List<String> pings = client(() -> linux("-c -p 7176 " + at + PINGS));
    assertTrue(pings.contains(LAST), pings.toString());
    assertTrue(done(mine).contains("server " + LAST));
  }

  @Test
  @DisplayName("where nothing listens: reason 8; a port of another program: in use")
  void refused() throws Exception {
    String at = "-a " + address() + " ";
    CommandException e =
        assertThrows(CommandException.class, () -> ours("-c -p 7177 " + at + "-C 1"));
    assertTrue(e.getMessage().contains("RDMA_CM_EVENT_REJECTED, error 8"), e.getMessage());
    assertEquals(List.of(), manager.ids());
  }
}
