package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.internal.device.BoundDevice;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.sa.SaClient;
import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneCore;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.Objects7;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MwType;
import ib.core.verbs.PollContext;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whatever is wrong with a call of the control path, the answer is an error that names it. */
@DisplayName("A14: typed errors for every argument and every allocation of the control path")
class TypedErrorsTest {
  /** The data path answers with a number, and arguments of queries are compared, not used. */
  private static final Set<String> NOT_CONTROL =
      Set.of("poll", "postSend", "postReceive", "readCurrent", "connect", "findGid", "has");

  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void nothingLeft() {
    rig.fake().faults().clear();
    assertEquals(List.of(), device.sweepAndPoison());
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
    rig.close();
  }

  // ---- null ----

  /** Calls each method with null in the place of each argument that may not be null. */
  private static List<String> withNulls(Class<?> type, @Nullable Object target, List<Object> good) {
    List<String> called = new ArrayList<>();
    for (Method m : type.getMethods()) {
      boolean ours = m.getDeclaringClass().getName().startsWith("ib.core.");
      if (!ours
          || m.getDeclaringClass() == WrBuilder.class
          || Modifier.isStatic(m.getModifiers()) != (target == null)) {
        continue;
      }
      Parameter[] parameters = m.getParameters();
      for (int i = 0; i < parameters.length && !NOT_CONTROL.contains(m.getName()); i++) {
        if (!parameters[i].getType().isPrimitive() && !mayBeNull(parameters[i])) {
          called.add(m.getName());
          callWithNull(m, target, i, good);
        }
      }
    }
    return called;
  }

  private static boolean mayBeNull(Parameter p) {
    return p.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static void callWithNull(Method m, @Nullable Object target, int at, List<Object> good) {
    String call = m.getDeclaringClass().getSimpleName() + "." + m.getName() + ", argument " + at;
    Parameter[] parameters = m.getParameters();
    Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      Class<?> t = parameters[i].getType();
      arguments[i] = i == at || mayBeNull(parameters[i]) ? null : value(t, good, call);
    }
    Throwable thrown =
        assertThrows(InvocationTargetException.class, () -> m.invoke(target, arguments), call)
            .getCause();
    assertEquals(IbInvalidException.class, thrown.getClass(), call + ": " + thrown);
    assertTrue(thrown.getMessage().contains("null"), call + ": " + thrown);
  }

  private static Object value(Class<?> type, List<Object> good, String call) {
    if (type == int.class) {
      return 1;
    }
    if (type == long.class) {
      return 1L;
    }
    return good.stream()
        .filter(type::isInstance)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type + " for " + call));
  }

  @Test
  @DisplayName("A14: null for each argument of each method of each object is refused by name")
  void a14Nulls() {
    Objects7 o = Objects7.of(device);
    List<Object> good = new ArrayList<>();
    good.add(new CqInit(1));
    good.add(PollContext.WORKQUEUE);
    good.add(Gid.ZERO);
    good.add(MwType.TYPE_1);
    good.add(Objects7.ADDRESS);
    good.add(new SrqAttr(1, 1, 0));
    good.add(new PortModify(0, 0, false, false));
    good.add(MadRegistration.sa());
    good.add(MadHandler.NONE);
    good.add(new WorkCompletion());
    good.add(Duration.ofMinutes(5));
    good.add(new WorkCompletion[1]);
    good.add("name");
    good.add(device);
    List<String> called = new ArrayList<>();
    called.addAll(withNulls(IbDevice.class, device, good));
    Map<Class<?>, IbObject> objects = new LinkedHashMap<>();
    objects.put(ProtectionDomain.class, o.pd());
    objects.put(CompletionQueue.class, o.cq());
    objects.put(SharedReceiveQueue.class, o.srq());
    objects.put(QueuePair.class, o.qp());
    objects.put(MemoryRegion.class, o.mr());
    objects.put(MemoryWindow.class, o.mw());
    objects.put(AddressHandle.class, o.ah());
    objects.forEach((type, object) -> called.addAll(withNulls(type, object, good)));
    for (Class<?> type : List.of(MadAgent.class, SaClient.class, AddressHandle.class)) {
      called.addAll(withNulls(type, null, good));
    }
    for (String expected :
        List.of("createCq", "createQp", "registerMemory", "modify", "attachMulticast", "map")) {
      assertTrue(called.contains(expected), called + " without " + expected);
    }
    o.close();
  }

  @Test
  @DisplayName("A14: null in attributes is refused by name, also between others")
  void a14NullsInside() {
    Objects7 o = Objects7.of(device);
    QpInit init = new QpInit(QpType.RC, o.cq(), Objects7.CAP);
    QpCap cap = Objects7.CAP;
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("type", () -> o.pd().createQp(new QpInit(nothing(), o.cq(), cap)));
    calls.put("cap", () -> o.pd().createQp(new QpInit(QpType.RC, o.cq(), nothing())));
    calls.put("sendCq", () -> o.pd().createQp(new QpInit(QpType.RC, nothing(), cap)));
    calls.put("recvCq", () -> o.pd().createQp(init.withRecvCq(nothing())));
    calls.put("sqSigType", () -> o.pd().createQp(init.withSigType(nothing())));
    calls.put("attr", () -> o.pd().createSrq(new SrqInit(nothing(), null, null)));
    calls.put("dgid", () -> o.pd().createAh(address(nothing())));
    calls.put("state", () -> o.qp().modify(new QpAttr().state(nothing())));
    calls.put("curState", () -> o.qp().modify(new QpAttr().curState(nothing())));
    calls.put("pathMtu", () -> o.qp().modify(new QpAttr().pathMtu(nothing())));
    calls.put("av", () -> o.qp().modify(new QpAttr().av(nothing())));
    calls.put("pathMigState", () -> o.qp().modify(new QpAttr().pathMigState(nothing())));
    calls.put("av of altPath", () -> o.qp().modify(new QpAttr().altPath(nothing(), 0, 1, 1)));
    calls.put("cap of modify", () -> o.qp().modify(new QpAttr().cap(nothing())));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment one = arena.allocate(8);
      calls.put("segment", () -> o.mr().map(one, nothing()));
      calls.forEach(
          (name, call) -> {
            var e = assertThrows(IbInvalidException.class, call::run, name);
            assertTrue(e.getMessage().contains(name.split(" ", 2)[0]), e.getMessage());
            assertTrue(e.getMessage().contains("null"), e.getMessage());
          });
    }
    o.close();
  }

  private static ib.core.verbs.AhAttr address(Gid gid) {
    return ib.core.verbs.AhAttr.ofGid(1, ib.core.verbs.GlobalRoute.to(gid, 0));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what the test is about
  private static <T> T nothing() {
    return null;
  }

  @Test
  @DisplayName("A14: null for each argument of the midlayer's own services is refused by name")
  void a14NullsOfServices() {
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("nulls0"));
      IbClient client =
          new IbClient() {
            @Override
            public String name() {
              return "c";
            }

            @Override
            public @Nullable Object add(IbDevice d) {
              return null;
            }

            @Override
            public void remove(IbDevice d, @Nullable Object data) {}
          };
      List<Object> good =
          List.of(
              "nulls0",
              client,
              ib.core.verbs.PortCounter.Form.CLASSIC,
              Set.of(),
              new String[0],
              new FakeDevice("nulls1"));
      List<String> called = withNulls(IbCore.class, core.core(), good);
      assertTrue(called.containsAll(List.of("lease", "registerClient", "rename")), "" + called);
      assertEquals(List.of("register"), withNulls(DriverRegistry.class, core.drivers(), good));
    }
  }

  // ---- memory ----

  private Map<String, Runnable> seams(Objects7 o, Arena arena) {
    MemorySegment own = arena.allocate(64, 8);
    Map<String, Runnable> s = new LinkedHashMap<>();
    s.put("allocPd", device::allocPd);
    s.put("createCq", () -> device.createCq(new CqInit(1)));
    s.put("registerMemory", () -> o.pd().registerMemory(own, 0));
    s.put("allocMemory", () -> o.pd().allocMemory(8, 8, 0));
    s.put("allocFastRegistration", () -> o.pd().allocFastRegistration(4));
    s.put("allocWindow", () -> o.pd().allocWindow(MwType.TYPE_1));
    s.put("createAh", () -> o.pd().createAh(Objects7.ADDRESS));
    s.put("createSrq", () -> Objects7.srq(o.pd()));
    s.put("createQp", () -> o.pd().createQp(new QpInit(QpType.RC, o.cq(), Objects7.CAP)));
    s.put("doResize", () -> o.cq().resize(64));
    s.put("doModerate", () -> o.cq().moderate(1, 1));
    s.put("doReregister", () -> o.mr().reregister(own, 0));
    s.put("doMap", () -> o.mr().map(own));
    s.put("doModifyAh", () -> o.ah().modify(Objects7.ADDRESS));
    s.put("doModifySrq", () -> o.srq().modify(new SrqAttr(32, 1, 0)));
    s.put("doModify", () -> o.qp().modify(new QpAttr().state(QpState.RESET)));
    s.put("doQuery", () -> o.qp().query());
    s.put("queryPort", () -> device.queryPort(1));
    s.put("modifyPort", () -> device.modifyPort(1, new PortModify(0, 0, false, false)));
    return s;
  }

  @Test
  @DisplayName("A14: memory used up at each call of the driver is ENOMEM, and nothing is lost")
  void a14EverySeam() {
    Objects7 o = Objects7.of(device);
    try (Arena arena = Arena.ofShared()) {
      seams(o, arena)
          .forEach(
              (op, call) -> {
                rig.fake()
                    .faults()
                    .at(
                        op,
                        () -> {
                          throw new OutOfMemoryError("planted by the test");
                        });
                var e = assertThrows(IbNoMemoryException.class, call::run, op);
                assertTrue(e.getMessage().contains("planted by the test"), e.getMessage());
                assertEquals(
                    OutOfMemoryError.class, Objects.requireNonNull(e.getCause()).getClass());
                assertTrue(!e.hint().isEmpty(), op);
                assertEquals(7, rig.objects().live(), op);
                rig.fake().faults().clear();
              });
    }
    o.close();
  }

  @Test
  @DisplayName("A14: every operation of the driver that may allocate is among those tried")
  void a14SeamsAreAll() {
    Objects7 o = Objects7.of(device);
    try (Arena arena = Arena.ofShared()) {
      Set<String> tried = seams(o, arena).keySet();
      List<String> missing =
          Arrays.stream(
                  new Class<?>[] {
                    ProtectionDomain.class, CompletionQueue.class, QueuePair.class,
                    SharedReceiveQueue.class, MemoryRegion.class, AddressHandle.class
                  })
              .flatMap(c -> Arrays.stream(c.getDeclaredMethods()))
              .filter(m -> Modifier.isProtected(m.getModifiers()) && m.getName().startsWith("do"))
              .map(Method::getName)
              .map(n -> n.replaceFirst("^do(Create|Alloc|Register)(.)", "$1$2"))
              .map(
                  n -> n.startsWith("do") ? n : Character.toLowerCase(n.charAt(0)) + n.substring(1))
              .filter(n -> !tried.contains(n) && !n.contains("Multicast") && !n.equals("doDestroy"))
              .distinct()
              .toList();
      assertEquals(List.of(), missing);
    }
    o.close();
  }

  @Test
  @DisplayName("A14: more than the machine has is ENOMEM, whatever the size and alignment")
  void a14TooMuch() {
    rig.quotas = new Quotas(Map.of(Quota.ALLOCATED, 999_999_999));
    ProtectionDomain pd = device.allocPd();
    for (long bytes : new long[] {1L << 49, Long.MAX_VALUE - 4096, Long.MAX_VALUE}) {
      for (long alignment : new long[] {1, 4096, 1L << 62}) {
        assertThrows(
            IbNoMemoryException.class, () -> pd.allocMemory(bytes, alignment, Access.LOCAL_WRITE));
      }
    }
    assertEquals(1, rig.objects().live());
    pd.close();
  }
}
