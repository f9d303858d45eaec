package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadSource;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.Smp;
import ib.core.spi.MadVerdict;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QpType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The MAD layer of a port, in virtual time")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MadPortTest {
  private static final int CLASS = 0x09;

  private final VirtualWorld world = new VirtualWorld();
  private final Net net = new Net(world, 1, 3);
  private final List<Mad> heard = new ArrayList<>();

  private static Mad get(int mgmtClass, int attribute) {
    return Mad.request(mgmtClass, 1, MadMethod.GET, attribute, 0);
  }

  private Agent server(int lid, int mgmtClass) {
    MadRegistration what =
        MgmtClass.smi(mgmtClass)
            ? MadRegistration.smi(mgmtClass, MadMethod.GET)
            : MadRegistration.gsi(mgmtClass, 1, MadMethod.GET);
    return net.agent(
        lid,
        what,
        (agent, r) -> {
          heard.add(r.mad());
          agent.reply(r, r.mad().response(0));
        });
  }

  private Agent client(QpType type) {
    return net.agent(1, MadRegistration.sender(type), (a, r) -> heard.add(r.mad()));
  }

  private static Throwable failure(CompletableFuture<?> f) {
    return assertThrows(CompletionException.class, f::join).getCause();
  }

  @Test
  @DisplayName("M3 one agent per port, class, version, OUI and method; classes of QP0 only there")
  void registration() {
    server(1, CLASS);
    assertThrows(IbExistsException.class, () -> server(1, CLASS));
    server(2, CLASS);
    net.agent(1, MadRegistration.gsi(CLASS, 1, MadMethod.SET), (a, r) -> {});
    net.agent(1, MadRegistration.gsi(CLASS, 2, MadMethod.GET), (a, r) -> {});
    for (int oui : new int[] {0x1405, 0x1406}) {
      net.agent(1, vendor(oui), (a, r) -> heard.add(r.mad()));
    }
    assertThrows(IbExistsException.class, () -> net.agent(1, vendor(0x1405), (a, r) -> {}));
    Class<IbInvalidException> invalid = IbInvalidException.class;
    assertThrows(invalid, () -> MadRegistration.smi(CLASS, MadMethod.GET));
    assertThrows(invalid, () -> MadRegistration.gsi(MgmtClass.SUBN_DIRECTED_ROUTE, 1));
    assertThrows(invalid, () -> MadRegistration.gsi(CLASS, 1, 0x81));
    Mad ping = Mad.request(0x32, 1, MadMethod.GET, 0, 0);
    ping.oui(0x1406);
    assertEquals(0x06, ping.bytes().get(ValueLayout.JAVA_BYTE, 39), "IBA 16.5: bytes 37 to 39");
    client(QpType.GSI).send(ping, Net.to(1));
    world.runMs(10);
    assertEquals(1, heard.size(), "of the two OUIs the right one");
  }

  private static MadRegistration vendor(int oui) {
    return new MadRegistration(QpType.GSI, 0x32, 1, Set.of(MadMethod.GET), oui, false);
  }

  @Test
  @DisplayName("M4 the upper half of the identifier is the agent's, the lower the caller's, if any")
  void transactionIds() {
    server(2, CLASS);
    Agent a = client(QpType.GSI);
    Agent b = client(QpType.GSI);
    assertNotEquals(a.hiTid(), b.hiTid());
    Mad mine = get(CLASS, 1);
    mine.header().transactionId(0xdead_0000_0000_002aL);
    CompletableFuture<MadReceived> first = a.query(mine, Net.to(2), 100, 0);
    CompletableFuture<MadReceived> same = a.query(mine, Net.to(2), 100, 0);
    CompletableFuture<MadReceived> other = b.query(mine, Net.to(2), 100, 0);
    CompletableFuture<MadReceived> any = b.query(get(CLASS, 1), Net.to(2), 100, 0);
    world.runMs(50);
    assertEquals((long) a.hiTid() << 32 | 0x2a, tid(first));
    assertEquals((long) b.hiTid() << 32 | 0x2a, tid(other));
    assertEquals(b.hiTid(), tid(any) >>> 32);
    assertNotEquals(0, (int) tid(any));
    assertInstanceOf(IbInvalidException.class, failure(same), "it is under way");
  }

  private static long tid(CompletableFuture<MadReceived> f) {
    return f.join().mad().header().transactionId();
  }

  @Test
  @DisplayName("M5 sent again at each timeout, then a typed failure; nothing is left ticking")
  void timeouts() {
    CompletableFuture<MadReceived> f = client(QpType.GSI).query(get(CLASS, 1), Net.to(77), 100, 3);
    world.runMs(399);
    assertFalse(f.isDone());
    world.runMs(2);
    assertInstanceOf(IbTimedOutException.class, failure(f));
    assertEquals(4, net.sent.size());
    assertEquals(3, net.count(1, Counter.RETRIES));
    assertEquals(1, net.count(1, Counter.TIMEOUTS));
    assertTrue(world.idle());
  }

  @Test
  @DisplayName("M5 late and duplicate responses are dropped and counted")
  void lateAndDuplicate() {
    List<MadReceived> kept = new ArrayList<>();
    Agent server =
        net.agent(2, MadRegistration.gsi(CLASS, 1, MadMethod.GET), (a, r) -> kept.add(r));
    Agent a = client(QpType.GSI);
    CompletableFuture<MadReceived> late = a.query(get(CLASS, 1), Net.to(2), 10, 0);
    world.runMs(20);
    assertInstanceOf(IbTimedOutException.class, failure(late));
    server.reply(kept.getFirst(), kept.getFirst().mad().response(0));
    world.runMs(20);
    assertEquals(1, net.count(1, Counter.LATE));
    CompletableFuture<MadReceived> twice = a.query(get(CLASS, 1), Net.to(2), 10, 0);
    world.runMs(5);
    server.reply(kept.getLast(), kept.getLast().mad().response(0));
    server.reply(kept.getLast(), kept.getLast().mad().response(0));
    world.runMs(20);
    assertEquals(0, twice.join().mad().header().status());
    assertEquals(2, net.count(1, Counter.LATE));
    CompletableFuture<MadReceived> cancelled = a.query(get(CLASS, 1), Net.to(2), 10, 0);
    world.runMs(5);
    assertTrue(cancelled.cancel(false));
    server.reply(kept.getLast(), kept.getLast().mad().response(0));
    world.runMs(20);
    assertEquals(3, net.count(1, Counter.LATE), "cancelled");
    assertTrue(world.idle());
  }

  @Test
  @DisplayName("M5 a response of another class answers nothing")
  void anotherClass() {
    CompletableFuture<MadReceived> f = client(QpType.GSI).query(get(CLASS, 1), Net.to(77), 100, 0);
    world.runMs(5);
    Mad other = net.sent.getFirst().response(0);
    other.header().mgmtClass(CLASS + 1);
    MadSource source = new MadSource(1, false, 2, 0, 1, 0, AhAttr.ofLid(1, 2, 0));
    net.ports.getFirst().arrived(1, other, source);
    world.runMs(5);
    assertFalse(f.isDone());
    assertEquals(1, net.count(1, Counter.LATE));
  }

  @Test
  @DisplayName("M5 a request that is cancelled, or whose agent is closed, leaves no timer behind")
  void noTimer() {
    Agent a = client(QpType.GSI);
    CompletableFuture<MadReceived> cancelled = a.query(get(CLASS, 1), Net.to(77), 100, 3);
    world.runMs(5);
    cancelled.cancel(false);
    world.runMs(0);
    assertTrue(world.idle());
    a.query(get(CLASS, 1), Net.to(77), 100, 3);
    world.runMs(5);
    net.ports.getFirst().leave(a);
    world.runMs(0);
    assertTrue(world.idle());
    assertEquals(2, net.sent.size());
  }

  @Test
  @DisplayName("M5 with 30 % loss all 1,000 requests are answered by retries, each once")
  void loss() {
    net.loss = 0.3;
    net.repeat = 0.2;
    server(2, CLASS);
    Agent a = client(QpType.GSI);
    List<CompletableFuture<MadReceived>> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(a.query(get(CLASS, i), Net.to(2), 20, 40));
    }
    world.runMs(1000);
    for (int i = 0; i < 1000; i++) {
      assertEquals(i, all.get(i).join().mad().header().attributeId());
    }
  }

  @Test
  @DisplayName(
      "M8 what a port sends to itself never is on the wire; the driver's agents come first")
  void local() {
    net.driver =
        (source, in, out) -> {
          assertTrue(source.local());
          if (in.header().attributeId() != 0x15) {
            return MadVerdict.PASS;
          }
          MemorySegment.copy(in.response(MadStatus.OK).bytes(), 0, out.bytes(), 0, 256);
          return MadVerdict.REPLY;
        };
    server(1, MgmtClass.SUBN_LID_ROUTED);
    Agent a = client(QpType.SMI);
    CompletableFuture<MadReceived> driver = a.query(get(1, 0x15), MadAddress.smi(1, 1), 10, 0);
    CompletableFuture<MadReceived> agent = a.query(get(1, 0x20), MadAddress.smi(1, 1), 10, 0);
    CompletableFuture<MadReceived> nobody = a.query(route(0x99), MadAddress.directed(1), 10, 0);
    world.runMs(5);
    assertEquals(0x15, driver.join().mad().header().attributeId());
    assertEquals(0x20, agent.join().mad().header().attributeId());
    assertEquals(1, heard.size());
    assertEquals(MadStatus.BAD_METHOD_ATTRIBUTE, Smp.STATUS.in(nobody.join().mad().bytes()));
    assertEquals(1, Smp.DIRECTION.in(nobody.join().mad().bytes()), "D bit of a local answer");
    assertEquals(List.of(), net.sent);
  }

  private static Mad route(int attribute, int... ports) {
    Mad m = get(MgmtClass.SUBN_DIRECTED_ROUTE, attribute);
    Smp.DR_SLID.set(m.bytes(), MadAddress.PERMISSIVE_LID);
    Smp.DR_DLID.set(m.bytes(), MadAddress.PERMISSIVE_LID);
    Smp.HOP_COUNT.set(m.bytes(), ports.length);
    for (int i = 0; i < ports.length; i++) {
      Smp.initialPath(m.bytes(), i + 1, ports[i]);
    }
    return m;
  }

  @Test
  @DisplayName("M8 IBA 14.2.2 a directed route of one hop there and back, hop pointer and path")
  void directedRoute() {
    Agent a = client(QpType.SMI);
    server(2, MgmtClass.SUBN_DIRECTED_ROUTE);
    // the wire of this net knows LIDs only: the cable leads to port 2
    MadAddress cable = MadAddress.smi(1, 2);
    CompletableFuture<MadReceived> f = a.query(route(0x11, 1), cable, 10, 0);
    world.runMs(5);
    Mad asked = heard.getFirst();
    assertEquals(2, Smp.HOP_POINTER.in(asked.bytes()));
    assertEquals(1, Smp.returnPath(asked.bytes(), 1));
    Mad answer = f.join().mad();
    assertEquals(0, Smp.HOP_POINTER.in(answer.bytes()));
    assertEquals(1, Smp.DIRECTION.in(answer.bytes()));
    CompletableFuture<MadReceived> elsewhere = a.query(route(0x11, 2), cable, 10, 0);
    world.runMs(5);
    assertInstanceOf(IbInvalidException.class, failure(elsewhere), "begins at another port");
    CompletableFuture<MadReceived> through = a.query(route(0x11, 1, 1), cable, 10, 0);
    world.runMs(50);
    assertInstanceOf(IbTimedOutException.class, failure(through));
    assertEquals(1, net.count(2, Counter.UNROUTED), "an adapter does not forward");
  }

  @Test
  @DisplayName("IBA 13.4.5 an unknown Get or Set is answered 0x0C, anything else dropped, counted")
  void unknown() {
    Agent a = client(QpType.GSI);
    CompletableFuture<MadReceived> f = a.query(get(CLASS, 1), Net.to(2), 100, 0);
    a.send(Mad.request(CLASS, 1, MadMethod.TRAP, 1, 0), Net.to(2));
    world.runMs(5);
    assertEquals(MadStatus.BAD_METHOD_ATTRIBUTE, f.join().mad().header().status());
    assertEquals(2, net.count(2, Counter.NO_AGENT));
    assertEquals(2, net.sent.size() - 1);
  }

  @Test
  @DisplayName("IBA 13.5.1 wrong version, class of the other queue pair: dropped and counted")
  void malformed() {
    MadSource from = new MadSource(1, false, 2, 0, 1, 0, AhAttr.ofLid(1, 2, 0));
    Mad version = get(CLASS, 1);
    version.header().baseVersion(2);
    net.ports.getFirst().arrived(1, version, from);
    net.ports.getFirst().arrived(0, get(CLASS, 1), from);
    net.ports.getFirst().arrived(1, get(MgmtClass.SUBN_LID_ROUTED, 1), from);
    world.runMs(5);
    assertEquals(3, net.count(1, Counter.MALFORMED));
    assertEquals(List.of(), net.sent);
  }

  @Test
  @DisplayName("M11 nothing is called back on the caller's stack, not even a failure")
  void notOnTheCallersStack() {
    Agent a = client(QpType.GSI);
    List<String> order = new ArrayList<>();
    Mad tooLong = get(CLASS, 1).withData(MemorySegment.ofArray(new byte[5000]));
    a.query(tooLong, Net.to(2), 10, 0).whenComplete((r, e) -> order.add("failed"));
    a.send(tooLong, Net.to(2)).whenComplete((r, e) -> order.add("failed"));
    a.send(get(CLASS, 1), Net.to(1)).whenComplete((r, e) -> order.add("sent"));
    order.add("returned");
    world.runMs(5);
    assertEquals(List.of("returned", "failed", "failed", "sent"), order);
  }
}
