package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Takes the kernel's device away and brings it back; the host must have it for this test alone. */
@DisplayName("issue 17, V2: the kernel's hot-plug is the midlayer's")
@EnabledIfSystemProperty(
    named = "ib.verbs.netdev",
    matches = ".+",
    disabledReason = "no interface of a Soft-RoCE device was named")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostPlugTest {
  private static final String DEVICE = System.getProperty(VerbsBench.DEVICE, "");
  static final String NETDEV = System.getProperty("ib.verbs.netdev", "");
  private static final int CYCLES = Integer.getInteger("ib.verbs.cycles", 5);
  private static final long LIMIT_S = 120;

  private final List<String> phases = new CopyOnWriteArrayList<>();
  private volatile long begun;
  private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

  static void rdma(String... words) throws Exception {
    List<String> line = new ArrayList<>(List.of("rdma", "link"));
    line.addAll(Arrays.asList(words));
    Process p = new ProcessBuilder(line).redirectErrorStream(true).start();
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, p.waitFor(), out);
  }

  /**
   * Whether the kernel's driver takes a device away without waiting for the programs that use it.
   */
  private static boolean isTakenAtOnce() throws IOException {
    try (Stream<String> symbols = Files.lines(Path.of("/proc/kallsyms"))) {
      return symbols.anyMatch(s -> s.contains(" rxe_disassociate_ucontext"));
    }
  }

  private void phase(String what) {
    phases.add(what + " " + (System.nanoTime() - begun) / 1_000_000);
  }

  private void expect(String... wanted) throws InterruptedException {
    for (String w : wanted) {
      assertEquals(w, calls.poll(LIMIT_S, TimeUnit.SECONDS));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "rdma link delete returns, with the clients removed in reverse order; rdma link add adds them"
          + " in order")
  void cycles(boolean traffic) throws Exception {
    List<Long> deletes = new ArrayList<>();
    boolean takenAtOnce = isTakenAtOnce();
    try (StandaloneFabric fabric =
        StandaloneFabric.options(VerbsDriver.PID).device(DEVICE, Map.of()).open()) {
      ClientRegistration first = fabric.core().registerClient(new Client("first", false));
      ClientRegistration second = fabric.core().registerClient(new Client("second", traffic));
      expect("add first", "add second");
      for (int i = 0; i < CYCLES; i++) {
        begun = System.nanoTime();
        phases.clear();
        rdma("delete", DEVICE);
        phase("returned");
        deletes.add((System.nanoTime() - begun) / 1_000_000);
        System.out.println("rdma link delete, ms after its begin: " + phases);
        if (!takenAtOnce) {
          assertEquals(
              List.of("remove second", "remove first"),
              List.copyOf(calls),
              "the kernel waits until the device is closed, and that comes after the clients");
        }
        expect("remove second", "remove first");
        rdma("add", DEVICE, "type", "rxe", "netdev", NETDEV);
        expect("add first", "add second");
      }
      second.unregister();
      first.unregister();
    }
    deletes.sort(null);
    System.out.println(
        "rdma link delete "
            + (traffic ? "under traffic" : "idle")
            + ", ms: median "
            + deletes.get(deletes.size() / 2)
            + ", longest "
            + deletes.getLast());
  }

  /** Writes down what it is called, and may keep the device busy. */
  private final class Client implements IbClient {
    private final String name;
    private final boolean busy;

    Client(String name, boolean busy) {
      this.name = name;
      this.busy = busy;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      Traffic traffic = busy ? new Traffic(device) : null;
      calls.add("add " + name);
      return traffic;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      phase("removes " + name);
      if (clientData instanceof Traffic traffic) {
        traffic.close();
        phase("closed");
      }
      calls.add("remove " + name);
    }
  }

  /** A thread that writes from one queue pair to another of the device, as fast as it goes. */
  private static final class Traffic {
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion mr;
    private final QueuePair a;
    private final QueuePair b;
    private final Thread thread;
    private volatile boolean ended;

    Traffic(IbDevice device) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(64));
      mr = pd.allocMemory(65_536, 4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      QpInit init = new QpInit(QpType.RC, cq, new QpCap(16, 16, 1, 1, 0));
      a = pd.createQp(init);
      b = pd.createQp(init);
      QueuePairs.connect(a, b);
      thread = Thread.ofPlatform().name("traffic").start(this::run);
    }

    private void run() {
      WorkCompletion[] done = {new WorkCompletion()};
      SendWr wr =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_WRITE)
              .flags(SendFlags.SIGNALED)
              .remoteAddr(mr.iova())
              .rkey(mr.rkey())
              .addSge(mr.lkey(), mr.iova(), 4096);
      int status = PostStatus.OK;
      while (!ended && (status == PostStatus.OK || status == PostStatus.QUEUE_FULL)) {
        status = a.postSend(wr);
        cq.poll(done, 1);
      }
    }

    void close() {
      ended = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      a.close();
      b.close();
      mr.close();
      cq.close();
      pd.close();
    }
  }
}
