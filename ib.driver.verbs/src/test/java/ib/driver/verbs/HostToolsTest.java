package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.tools.diags.Perfquery;
import ib.tools.diags.Why;
import ib.tools.fabric.Commands;
import ib.tools.fabric.Ibping;
import ib.tools.fabric.Saquery;
import ib.tools.getopt.CommandException;
import ib.tools.hotplug.Objects;
import ib.tools.output.Printable;
import ib.tools.perftest.Midlayer;
import ib.tools.perftest.Perftest;
import ib.tools.perftest.Tool;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import ib.tools.verbs.DeviceList;
import ib.tools.verbs.Devinfo;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.function.Executable;

/** The tools on the host's device, opened twice as verbs0 and verbs1. */
@DisplayName("issue 17, point 3: the tools show a device of the host, and say what it has not")
@EnabledIfSystemProperty(named = VerbsBench.DEVICE, matches = ".+", disabledReason = "no device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostToolsTest {
  private static final String DEVICE = System.getProperty(VerbsBench.DEVICE, "");
  private static final String KERNELS = "belong to the kernel of the host";

  private final VerbsBench bench = new VerbsBench();
  private final IbCore core = bench.core();
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

  @AfterEach
  void close() {
    bench.close();
  }

  private static void has(Object all, String... words) {
    String text = all instanceof Printable printable ? printable.text() : String.valueOf(all);
    for (String word : words) {
      assertTrue(text.contains(word), word + " in " + text);
    }
  }

  private Object rdma(String line) {
    return Rdma.run(core, List.of(bench.diagnosis("verbs0")), List.of(), out, line.split(" "));
  }

  private static WarmUp cold() {
    return new WarmUp(List.of(), List.of());
  }

  @Test
  @DisplayName(
      "ibv_devices, ibv_devinfo, rdma link and res, ib:objects; ib:unplug leaves the host's")
  void shown() {
    has(DeviceList.run(core), "verbs0", "verbs1");
    has(Devinfo.run(core, "-v", "-d", "verbs0"), "hca_id:\tverbs0", "PORT_ACTIVE (4)", "max_qp:");
    has(rdma("link"), "link verbs0/1 state ACTIVE");
    try (DeviceLease lease = core.lease("verbs0", "tools");
        ProtectionDomain pd = lease.device().allocPd();
        CompletionQueue cq = lease.device().createCq(new CqInit(8));
        QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)))) {
      has(rdma("res show qp"), " lqpn " + qp.qpn() + " type RC state RESET");
      has(rdma("res show"), "verbs0: ", "qp 1 ");
      has(Objects.run(core, "verbs0"), "tools", "QP", "CQ", "PD");
      has(rdma("statistic show"), "verbs0/1", "connection_events_failed 0");
    }
    bench.unplug("verbs0");
    assertEquals(List.of("verbs1"), core.devices().stream().map(d -> d.name()).toList());
    assertTrue(Files.exists(Path.of("/sys/class/infiniband", DEVICE)), "the kernel's stays");
    bench.plug("verbs0");
    has(DeviceList.run(core), "verbs0");
  }

  @Test
  @DisplayName("a ping-pong of each service with its data compared, ib_write_bw and ib_send_lat")
  void traffic() {
    String both = "-g " + bench.gidIndex() + " --no-warmup -n 20 -s 1024 ";
    for (Kind kind : new Kind[] {Kind.RC, Kind.UC, Kind.UD, Kind.SRQ}) {
      String line = both + (kind == Kind.UD || kind == Kind.SRQ ? "" : "-c ") + "-d verbs0 verbs1";
      has(PingPong.run(core, cold(), kind, out, out, line.split(" ")), "20 iters in");
    }
    Midlayer here = new Midlayer(core, null);
    String few = "-x " + bench.gidIndex() + " --no-warmup -F -n 20 -s 4096 -d verbs0 -d verbs1";
    for (Tool tool : new Tool[] {Tool.WRITE_BW, Tool.SEND_LAT, Tool.READ_BW}) {
      Perftest.run(here, cold(), tool, out, out, few.split(" "));
      has(printed.toString(StandardCharsets.UTF_8), " 4096 ");
      printed.reset();
    }
  }

  private static void refused(Executable command, String why) {
    CommandException e = assertThrows(CommandException.class, command);
    has(e.getMessage(), why);
  }

  @Test
  @DisplayName("V8: what needs QP0 or QP1 says that they belong to the kernel of the host")
  void kernelsOwn() {
    String[] there = {"-C", "verbs0"};
    refused(() -> Commands.SMINFO.run(core, there), KERNELS);
    refused(() -> Commands.IBNETDISCOVER.run(core, there), KERNELS);
    refused(() -> Commands.SMPQUERY.run(core, "-C", "verbs0", "nodeinfo", "1"), KERNELS);
    refused(() -> Ibping.run(core, out, out, "-C", "verbs0", "1"), KERNELS);
    refused(() -> Saquery.run(core, there), KERNELS);
    CommandException counters =
        assertThrows(CommandException.class, () -> Perfquery.run(core, "-x", "verbs0"));
    has(counters.getMessage(), "QP1, which belongs to the kernel of the host", "rdma statistic");
    try (DeviceLease lease = core.lease("verbs0", "tools");
        ProtectionDomain pd = lease.device().allocPd();
        CompletionQueue cq = lease.device().createCq(new CqInit(8))) {
      IbDevice device = lease.device();
      for (Cap cap : new Cap[] {Cap.SMI, Cap.GSI, Cap.UD_TSO, Cap.CQ_MODERATION}) {
        assertFalse(device.has(cap), cap.toString());
      }
      assertFalse(device.has(Cap.MEM_MGT_EXTENSIONS), "fast registration is the kernel's");
      MadRegistration gsi = MadRegistration.sender(QpType.GSI);
      assertThrows(
          IbNotSupportedException.class, () -> MadAgent.register(device, 1, gsi, MadHandler.NONE));
      assertThrows(IbNotSupportedException.class, () -> SaClient.open(device, 1));
      assertThrows(IbNotSupportedException.class, () -> pd.allocFastRegistration(4));
      assertThrows(IbNotSupportedException.class, () -> cq.moderate(4, 10));
    }
  }

  @Test
  @DisplayName("ib:why: state, peer and history of a queue pair, and why a request has failed")
  void why() {
    try (DeviceLease lease = core.lease("verbs0", "tools");
        ProtectionDomain pd = lease.device().allocPd();
        CompletionQueue cq = lease.device().createCq(new CqInit(8));
        MemoryRegion mr = pd.allocMemory(4096, 4096, Access.LOCAL_WRITE);
        QueuePair a = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)));
        QueuePair b = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)))) {
      has(why(a), "RC RESET on verbs0", "it was not brought up");
      QueuePairs.connect(a, b);
      has(why(a), "RTS: modify", "peer QP 0x%06x at ".formatted(b.qpn()), "nothing is wrong");
      SendWr write = new SendWr(7).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
      a.postSend(write.remoteAddr(mr.iova()).rkey(mr.rkey()).addSge(mr.lkey(), mr.iova(), 8));
      WorkCompletion[] done = {new WorkCompletion()};
      while (cq.poll(done, 1) == 0) {
        Thread.onSpinWait();
      }
      assertEquals(WcStatus.REM_ACCESS_ERR, done[0].status());
      has(
          why(a),
          "RC ERR on verbs0",
          "a request has failed: remote access error",
          "likely: the peer refused the rkey",
          "try: compare rkey");
      b.modify(new QpAttr().state(QpState.ERR));
      has(why(b), "ERR: modify", "no completion says why");
    }
    refused(
        () -> Why.run(List.of(bench.diagnosis("verbs0")), Clock.systemUTC(), "verbs0", "1"),
        "knows QP");
  }

  private String why(QueuePair qp) {
    QpDiagnosis diagnosis = bench.diagnosis("verbs0");
    String number = String.valueOf(qp.qpn());
    return Why.run(List.of(diagnosis), Clock.systemUTC(), number).text();
  }
}
