package ib.core.internal.sa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.NoSubnetManagerException;
import ib.core.sa.NodeRecord;
import ib.core.sa.Notice;
import ib.core.sa.SaClient;
import ib.core.sa.SaException;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMembership.State;
import ib.core.sa.SaStatus;
import ib.core.sa.SaSubscription;
import ib.core.sa.ServiceRecord;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The SA layer, its administrator on the port itself")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SaClientTest {
  private static final int NUDGES = 700;
  private static final Gid GROUP = Gid.parse("ff12:401b:ffff::ffff:ffff");

  private final StandaloneCore standalone = StandaloneCore.create();
  private final FakeDevice device = new FakeDevice("fake0");
  private DeviceLease lease;
  private FakeSa server;
  private SaClient sa;

  @BeforeEach
  void open() {
    port(PortState.ACTIVE, 1);
    standalone.drivers().register(device);
    lease = standalone.core().lease("fake0", "test");
    server = new FakeSa(lease.device());
    sa = SaClient.open(lease.device(), 1);
  }

  @AfterEach
  void close() {
    sa.close();
    server.close();
    lease.close();
    assertEquals(List.of(), standalone.core().violations());
    standalone.close();
    assertEquals(0, device.live(), "D2, M2: nothing of QP0, QP1, PD, CQ, MR is left");
  }

  private void port(PortState state, int smLid) {
    PortAttr now = device.ops().queryPort(1);
    device.ports().attr(1, now.toBuilder().state(state).smLid(smLid).build());
  }

  private void event(EventType type) {
    device.dispatchEvent(type, 1);
  }

  private static ServiceRecord service() {
    return new ServiceRecord().set(ServiceRecord.Field.SERVICE_ID, 0x1234_5678_9abc_def0L);
  }

  private static Throwable failure(CompletableFuture<?> f) {
    return assertThrows(CompletionException.class, f::join).getCause();
  }

  private static McMemberRecord join(int state) {
    return new McMemberRecord()
        .set(McMemberRecord.Field.MGID, GROUP)
        .set(McMemberRecord.Field.JOIN_STATE, state);
  }

  private static final class States extends CopyOnWriteArrayList<State> {
    private static final long serialVersionUID = 1L;

    SaMembership.Listener listener() {
      return (m, state, why) -> add(state);
    }

    void await(State... expected) {
      Wait.until(() -> size() >= expected.length);
      assertEquals(List.of(expected), List.copyOf(this));
    }
  }

  @Test
  @DisplayName("IBA 15.3 Get, Set, Delete and GetTable, by RMPP, whatever the size")
  void questions() {
    assertEquals(service(), sa.get(service()).join());
    assertEquals(service(), sa.set(service(), 1000).join());
    assertEquals(service(), sa.delete(service(), 1000).join());
    for (int size : new int[] {0, 1, 2, 100, 1000}) {
      server.tableSize = size;
      List<NodeRecord> all = sa.getTable(new NodeRecord(), 5000).join();
      assertEquals(size, all.size());
      for (int i = 0; i < size; i++) {
        assertEquals(i + 1, all.get(i).value(NodeRecord.Field.LID));
      }
    }
    List<String> asked = server.asked.stream().distinct().toList(); // a retry is no new question
    assertEquals(List.of("1 0x31", "2 0x31", "21 0x31"), asked.subList(0, 3));
  }

  @Test
  @DisplayName("IBA 15.2.4 refusals are typed; no records is an empty table; busy is asked again")
  void refusals() {
    server.status = SaStatus.NO_RECORDS.value();
    SaException none = (SaException) failure(sa.get(service()));
    assertEquals(SaStatus.NO_RECORDS, none.status());
    assertEquals(List.of(), sa.getTable(new NodeRecord(), 1000).join());
    server.status = 0x7700;
    SaException other = (SaException) failure(sa.set(service(), 1000));
    assertEquals(SaStatus.OTHER, other.status());
    assertEquals(0x7700, other.raw());
    server.status = SaStatus.BUSY.value();
    server.refusals.set(3);
    server.asked.clear();
    assertEquals(service(), sa.get(service(), 500).join());
    assertEquals(4, server.asked.size());
  }

  @Test
  @DisplayName("M9 without a subnet manager, or on a port that is not active, it fails at once")
  void nobodyThere() {
    port(PortState.ACTIVE, 0);
    event(EventType.SM_CHANGE);
    Wait.until(() -> !sa.reachable());
    NoSubnetManagerException e =
        assertInstanceOf(NoSubnetManagerException.class, failure(sa.get(service())));
    assertTrue(e.getMessage().contains("no subnet manager"), e.getMessage());
    port(PortState.INIT, 1);
    event(EventType.PORT_ERR);
    Wait.until(() -> lease.device().port(1).state() == PortState.INIT);
    assertTrue(failure(sa.get(service())).getMessage().contains("INIT"));
    port(PortState.ACTIVE, 1);
    event(EventType.PORT_ACTIVE);
    Wait.until(sa::reachable);
    assertEquals(service(), sa.get(service()).join());
    assertEquals(1, server.asked.size());
  }

  @Test
  @DisplayName("M9 ClassPortInfo is asked once, and again after SM_CHANGE")
  void classPortInfo() {
    int mask = sa.classPortInfo().join().value(ClassPortInfo.Field.CAPABILITY_MASK2);
    assertEquals(ClassPortInfo.SA_SEND_ONLY_FULL_MEMBER, mask);
    sa.classPortInfo().join();
    assertEquals(1, server.count("1 0x01"));
    event(EventType.SM_CHANGE);
    Wait.until(
        () -> {
          sa.classPortInfo().join();
          return server.count("1 0x01") == 2;
        });
  }

  @Test
  @DisplayName("M9 ClassPortInfo is known when its answer is: a second call sends no request")
  void knownWithTheAnswer() {
    server.silent = true;
    CompletableFuture<ClassPortInfo> first = sa.classPortInfo();
    CompletableFuture<ClassPortInfo> again = first.thenCompose(i -> sa.classPortInfo());
    server.silent = false; // a repeat of the first question is answered
    assertEquals(first.join(), again.join());
    assertEquals(1, server.count("1 0x01"));
  }

  @Test
  @DisplayName("M6 a cancelled question for ClassPortInfo is not asked any more")
  void cancelledClassPortInfo() {
    server.silent = true;
    CompletableFuture<ClassPortInfo> info = sa.classPortInfo();
    assertTrue(info.cancel(false));
    assertThrows(CancellationException.class, info::join);
  }

  @Test
  @DisplayName(
      "M6 cancelled, or flushed by close: typed, and nothing is heard after close returned")
  void cancelAndClose() {
    server.silent = true;
    CompletableFuture<ServiceRecord> cancelled = sa.get(service(), 60_000);
    assertTrue(cancelled.cancel(false));
    assertThrows(CancellationException.class, cancelled::join);
    CompletableFuture<ServiceRecord> flushed = sa.get(service(), 60_000);
    CompletableFuture<List<NodeRecord>> table = sa.getTable(new NodeRecord(), 60_000);
    sa.close();
    assertTrue(flushed.isDone() && table.isDone(), "when close has returned");
    assertInstanceOf(IbDisassociatedException.class, failure(flushed));
    assertInstanceOf(IbDisassociatedException.class, failure(table));
    assertInstanceOf(IbDisassociatedException.class, failure(sa.get(service())));
  }

  @Test
  @DisplayName("M10 members are counted: the first joins, the last leaves, the others send nothing")
  void membershipIsCounted() {
    States a = new States();
    States b = new States();
    SaMembership one = sa.multicast().join(join(1), a.listener());
    a.await(State.MEMBER);
    SaMembership two = sa.multicast().join(join(1), b.listener());
    b.await(State.MEMBER);
    assertEquals(FakeSa.MLID, two.record().value(McMemberRecord.Field.MLID));
    one.close();
    assertEquals(State.CLOSED, one.state());
    two.close();
    Wait.until(() -> server.count("21 group 1") == 1);
    assertEquals(List.of("2 group 1", "21 group 1"), List.copyOf(server.asked));
    States c = new States();
    SaMembership sendOnly = sa.multicast().join(join(8), c.listener());
    SaMembership full = sa.multicast().join(join(1), c.listener());
    c.await(State.MEMBER, State.MEMBER);
    sendOnly.close();
    Wait.until(() -> server.count("21 group 8") == 1);
    full.close();
    Wait.until(() -> server.count("21 group 1") == 2);
  }

  @Test
  @DisplayName("S16: a membership's request is read by any thread, so that nothing changes it")
  void requestIsNotChanged() {
    server.silent = true;
    try (SaMembership joining = sa.multicast().join(join(1), (m, state, why) -> {})) {
      Wait.until(() -> server.count("2 group 1") > 0);
      assertFalse(joining.record().has(McMemberRecord.Field.PORT_GID), "the request sent has it");
    }
  }

  @Test
  @DisplayName(
      "I12 a client learns whether other clients of the port are in a group, not whether it is")
  void joinedByOthers() {
    SaClient other = SaClient.open(lease.device(), 1);
    assertFalse(sa.multicast().joinedByOthers(GROUP).join());
    States states = new States();
    SaMembership m = other.multicast().join(join(1), states.listener());
    assertTrue(sa.multicast().joinedByOthers(GROUP).join(), "joining is enough");
    states.await(State.MEMBER);
    assertTrue(sa.multicast().joinedByOthers(GROUP).join());
    assertFalse(other.multicast().joinedByOthers(GROUP).join(), "it is its own");
    assertFalse(sa.multicast().joinedByOthers(Gid.parse("ff12:401b:ffff::1")).join());
    m.close();
    assertFalse(sa.multicast().joinedByOthers(GROUP).join());
    CompletableFuture<Boolean> last = other.multicast().joinedByOthers(GROUP);
    other.close();
    assertTrue(last.isDone(), "when close has returned");
    assertThrows(IbDisassociatedException.class, () -> other.multicast().joinedByOthers(GROUP));
  }

  @Test
  @DisplayName(
      "M10 I5 after CLIENT_REREGISTER the listener gets LOST, and the group is joined again")
  void rejoin() {
    States a = new States();
    SaMembership m = sa.multicast().join(join(1), a.listener());
    a.await(State.MEMBER);
    event(EventType.CLIENT_REREGISTER);
    a.await(State.MEMBER, State.LOST, State.MEMBER);
    assertEquals(2, server.count("2 group 1"));
    m.close();
  }

  @Test
  @DisplayName("M10 I4 on a port that is not active nothing is sent; PORT_ACTIVE joins")
  void joinWaitsForThePort() {
    port(PortState.INIT, 1);
    event(EventType.PORT_ERR);
    Wait.until(() -> !sa.reachable());
    States a = new States();
    SaMembership m = sa.multicast().join(join(1), a.listener());
    event(EventType.CLIENT_REREGISTER); // it comes while the port still is INIT
    Wait.until(() -> standalone.core().eventCounters("fake0").get("delivered") == 2);
    assertEquals(List.of(), List.copyOf(server.asked));
    port(PortState.ACTIVE, 1);
    event(EventType.PORT_ACTIVE);
    Wait.until(() -> m.state() == State.MEMBER);
    m.close();
  }

  @Test
  @DisplayName("M10 I5 busy and no answer are tried again; a refusal is final until an event")
  void joinFails() {
    server.status = SaStatus.BUSY.value();
    server.refusals.set(3);
    States a = new States();
    SaMembership m = sa.multicast().join(join(1), a.listener());
    a.await(State.MEMBER);
    assertEquals(4, server.count("2 group 1"));
    m.close();
    Wait.until(() -> server.count("21 group 1") == 1);
    server.refusals.set(Integer.MAX_VALUE);
    server.status = SaStatus.DENIED.value();
    States b = new States();
    SaMembership refused = sa.multicast().join(join(1), b.listener());
    b.await(State.REFUSED);
    assertEquals(5, server.count("2 group 1"));
    server.status = 0;
    event(EventType.PKEY_CHANGE);
    b.await(State.REFUSED, State.MEMBER);
    server.silent = true;
    refused.close();
    Wait.until(() -> server.count("21 group 1") == 1 + Upkeep.FAREWELLS);
  }

  @Test
  @DisplayName("I5 the distance of attempts: 125 ms at the most for the first 5 s, then up to 1 s")
  void pauses() {
    int sum = 0;
    for (int i = 0; i < Upkeep.SOON; i++) {
      int pause = Upkeep.pauseMs(i);
      assertTrue(pause >= Upkeep.PAUSE_FIRST_MS && 2 * pause <= 250, i + ": " + pause);
      sum += pause;
    }
    assertTrue(sum >= 4_500, "the first sweep of a large subnet, " + sum);
    assertEquals(
        List.of(50, 100, 125, 125), IntStream.range(0, 4).map(Upkeep::pauseMs).boxed().toList());
    IntStream late = IntStream.range(Upkeep.SOON, Upkeep.SOON + 5).map(Upkeep::pauseMs);
    assertEquals(List.of(250, 500, 1000, 1000, 1000), late.boxed().toList());
    assertEquals(Upkeep.PAUSE_LAST_MS, Upkeep.pauseMs(Integer.MAX_VALUE));
  }

  @Test
  @DisplayName("I5 an event does not wait for an answer that will not come: it is asked at once")
  void nudged() {
    server.silent = true;
    States a = new States();
    SaMembership m = sa.multicast().join(join(1), a.listener());
    for (int i = 1; i <= NUDGES; i++) { // with 100 ms each they would take longer than the test may
      int asked = i;
      Wait.until(() -> server.count("2 group 1") >= asked);
      event(EventType.PORT_ACTIVE);
    }
    server.silent = false;
    a.await(State.MEMBER);
    m.close();
  }

  @Test
  @DisplayName(
      "IBA 13.4.11 two subscribers share a subscription, each hears the report, acknowledged")
  void reports() {
    List<Gid> heard = new CopyOnWriteArrayList<>();
    SaSubscription one = sa.subscribe(Notice.TRAP_MCG_CREATED, n -> heard.add(n.detailsGid()));
    SaSubscription two = sa.subscribe(Notice.TRAP_MCG_CREATED, n -> heard.add(n.detailsGid()));
    one.confirmed().join();
    two.confirmed().join();
    assertEquals(List.of("2 inform 1"), List.copyOf(server.asked));
    Notice notice =
        new Notice().set(Notice.Field.TRAP_NUMBER, Notice.TRAP_MCG_CREATED).detailsGid(GROUP);
    MemorySegment data = MemorySegment.ofArray(new byte[200]);
    notice.write(data, 0);
    Mad report =
        Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.REPORT, Notice.ATTRIBUTE_ID, 0).withData(data);
    MadAddress here = MadAddress.gsi(AhAttr.ofLid(1, 1, 0));
    Mad answer = server.agent.query(report, here, 1000, 3).join().mad();
    assertEquals(MadMethod.REPORT, answer.header().method());
    Wait.until(() -> heard.size() == 2);
    assertEquals(List.of(GROUP, GROUP), List.copyOf(heard));
    event(EventType.CLIENT_REREGISTER);
    Wait.until(() -> server.count("2 inform 1") == 2);
    one.close();
    two.close();
    Wait.until(() -> server.count("2 inform 0") == 1);
    assertFalse(one.confirmed().isCompletedExceptionally());
  }
}
