package ib.driver.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
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
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.slf4j.LoggerFactory;

@DisplayName("issue 17, V9: teardown in the order that the kernel asks for")
@EnabledIfSystemProperty(
    named = VerbsBench.DEVICE,
    matches = ".+",
    disabledReason = "no RDMA device of the host was named; VerbsIT runs it in the Linux peer")
final class TeardownTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  @BeforeEach
  void watch() {
    lines.start();
    root.addAppender(lines);
  }

  @AfterEach
  void end() {
    root.detachAppender(lines);
  }

  /** Makes an object of each kind, each in use by another one, and closes none. */
  private static void leaveAll(IbDevice device) {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue polled = device.createCq(new CqInit(16));
    CompletionQueue telling = device.createCq(new CqInit(16, (cq, context) -> {}, null));
    var srq = pd.createSrq(new SrqInit(new SrqAttr(16, 1, 0), null, null));
    QpInit init = new QpInit(QpType.RC, polled, new QpCap(4, 4, 1, 1, 0));
    QueuePair a = pd.createQp(init.withRecvCq(telling).withSrq(srq));
    QueuePair b = pd.createQp(init);
    QueuePairs.connect(a, b);
    MemoryRegion mr = pd.allocMemory(4096, 4096, Access.LOCAL_WRITE | Access.MW_BIND);
    int unused = pd.allocWindow(MwType.TYPE_2).rkey();
    unused = b.postReceive(1, mr.lkey(), mr.iova(), 64);
    int own = VerbsBench.ipv4(device);
    AddressHandle ah = pd.createAh(AhAttr.ofGid(1, GlobalRoute.to(device.gid(1, own), own)));
    QueuePair datagrams = pd.createQp(new QpInit(QpType.UD, polled, new QpCap(4, 4, 1, 1, 0)));
    datagrams.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(1));
    datagrams.modify(new QpAttr().state(QpState.RTR));
    datagrams.modify(new QpAttr().state(QpState.RTS).sqPsn(0));
    SendWr sent = // its completion is not taken, and holds the handle
        new SendWr(1)
            .opcode(WrOpcode.SEND)
            .flags(SendFlags.SIGNALED)
            .ah(ah)
            .remoteQpn(datagrams.qpn())
            .remoteQkey(1)
            .addSge(mr.lkey(), mr.iova(), 64);
    assertEquals(PostStatus.OK, datagrams.postSend(sent));
  }

  private static final class Leaver implements IbClient {
    @Override
    public String name() {
      return "leaver";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      leaveAll(device);
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {}
  }

  @Test
  @DisplayName("objects of all kinds that a client leaves behind: the kernel keeps none")
  void leftBehind() {
    Set<String> left;
    try (StandaloneFabric fabric =
        StandaloneFabric.options(VerbsDriver.PID)
            .device(System.getProperty(VerbsBench.DEVICE), Map.of())
            .open()) {
      String name = fabric.names().getFirst();
      fabric.core().registerClient(new Leaver());
      fabric.unplug(name);
      left =
          fabric.core().lastRemoval(name).stream()
              .flatMap(r -> r.leaks().stream())
              .map(LeakRecord::object)
              .map(o -> o.substring(0, o.indexOf(' ')))
              .collect(Collectors.toCollection(TreeSet::new));
    }
    assertEquals(Set.of("PD", "CQ", "SRQ", "QP", "MR", "MW", "AH"), left);
    assertEquals(
        List.of(),
        lines.list.stream()
            .map(ILoggingEvent::getFormattedMessage)
            .filter(m -> m.contains("the kernel keeps"))
            .toList());
  }
}
