package ib.engine;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.run.ClaimToken;
import ib.engine.sim.Plant;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A16: an exception at every call inside a claim. */
class ThrownTest {
  private static final int STEP = Integer.getInteger("ib.thrown.step", 5); // 1 for all, by hand

  /** The classes that run with a queue pair claimed, without those that release claims. */
  private static final Set<String> INSIDE =
      Set.of(
          "packet.send.AckRequests",
          "packet.send.Completer",
          "packet.send.Completions",
          "packet.receive.ConnectedResponder",
          "direct.DirectPath",
          "direct.DirectSends",
          "control.Flusher",
          "port.HcaPort",
          "packet.receive.InboundMessage",
          "packet.receive.InboundRequest",
          "direct.Join",
          "packet.send.LocalWork",
          "packet.receive.Reply",
          "packet.send.RequestPackets",
          "packet.receive.RequestRefusal",
          "packet.send.RequestStart",
          "packet.send.Requester",
          "packet.send.Resend",
          "packet.send.Retries",
          "qp.Responder",
          "qp.SendCompletions",
          "qp.SendWindow",
          "cq.SoftCq",
          "mr.Copier",
          "mr.Mover");

  /** The protocol of claims: short, without calls, so nothing can be thrown there. */
  private static final Set<String> SAFE =
      Set.of("ib/engine/run/RunList", "java/lang/invoke/VarHandle");

  private static final Set<String> CLAIM =
      Arrays.stream(ClaimToken.class.getMethods()).map(Method::getName).collect(toSet());

  /**
   * How many threads step over the calls, each in an engine of its own. Many, because the threads
   * wait more than they compute: a poster that has thrown in the middle of posting is given up
   * after a second.
   */
  private static final int LANES = 8;

  private static final Lane[] ENGINES = new Lane[LANES];

  /** An engine of its own, whose calls are counted for themselves. */
  private record Lane(Method scenario, Method close) {
    long run(String how, long first, long end) throws Exception {
      try {
        return (long)
            (how.equals("closed")
                ? close.invoke(null, first, end)
                : scenario.invoke(null, how, first, end));
      } catch (InvocationTargetException e) {
        throw new AssertionError(how + ", call " + first + " to " + end, e.getCause());
      }
    }

    /** Each call of those that this lane steps over throws. */
    Void step(String how, long from, long calls) throws Exception {
      for (long n = from; n <= calls; n += LANES) {
        run(how, n, n + 1);
        if (n % STEP == 0) {
          run(how, n, n + 2);
          run(how, n, Long.MAX_VALUE);
        }
      }
      return null;
    }
  }

  @BeforeAll
  static void plant() throws ReflectiveOperationException {
    ClassDesc throwing = ClassDesc.of(Throwing.class.getName());
    MethodTypeDesc nothing = MethodTypeDesc.ofDescriptor("()V");
    ClassTransform everywhere =
        ClassTransform.transformingMethodBodies(
            ThrownTest::inside,
            (builder, element) -> {
              if (element instanceof InvokeInstruction i && !isSafe(i)) {
                builder.invokestatic(throwing, "point", nothing);
              }
              builder.with(element);
            });
    for (int i = 0; i < LANES; i++) {
      Plant plant = new Plant(n -> INSIDE.contains(n.replace("ib.engine.", "")), everywhere);
      Class<?> c = plant.loadClass(ThrownScenario.class.getName());
      ENGINES[i] =
          new Lane(
              c.getMethod("run", String.class, long.class, long.class),
              c.getMethod("close", long.class, long.class));
    }
  }

  /** The end of a request is one store after its completion was pushed, which is safe, too. */
  private static boolean isSafe(InvokeInstruction i) {
    String owner = i.owner().asInternalName();
    boolean claims = owner.startsWith("ib/engine/") && CLAIM.contains(i.name().stringValue());
    return claims
        || SAFE.contains(owner)
        || i.name().equalsString("leave")
        || owner.startsWith("ib/engine/ring/") && i.name().equalsString("retire");
  }

  /** Constructors are not, nor what only takes a queue pair off lists when it ends. */
  private static boolean inside(MethodModel m) {
    String method = m.methodName().stringValue();
    String owner = m.parent().orElseThrow().thisClass().asInternalName();
    boolean ends = method.equals("detach") || method.equals("end") && owner.endsWith("Retries");
    return m.code().isPresent() && method.charAt(0) != '<' && !ends;
  }

  @ParameterizedTest
  @ValueSource(strings = {"alone", "direct", "packets", "lossy", "unreliable", "closed"})
  @DisplayName("A16: thrown at every call inside a claim, once, twice and on and on: it comes back")
  void thrown(String how, TestReporter reporter) throws Exception {
    long calls = ENGINES[0].run(how, 0, 0);
    try (ExecutorService threads = Executors.newFixedThreadPool(LANES)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        Lane lane = ENGINES[i];
        long from = i + 1L;
        all.add(threads.submit(() -> lane.step(how, from, calls)));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    }
    reporter.publishEntry(how, calls + " calls, each of which has thrown");
    assertTrue(calls > (how.equals("alone") ? 10 : 40), calls + " calls");
  }
}
