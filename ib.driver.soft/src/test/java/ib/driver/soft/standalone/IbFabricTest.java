package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import ib.core.client.IbCore;
import ib.core.client.IbLeakException;
import ib.core.spi.FaultInjection;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.kit.fabric.IbFabric;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@DisplayName("U19: devices for a test by annotation")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@IbFabric(devices = 3)
final class IbFabricTest {
  private static final String INNER = "ib.test.inner";

  private IbDevice before;

  @BeforeEach
  void take(IbDevice first) {
    before = first;
  }

  @Test
  @DisplayName("parameters are injected: devices in order, the fabric, its midlayer")
  void parameters(IbDevice a, StandaloneFabric fabric, IbDevice b, IbCore core) {
    assertSame(before, a);
    assertEquals("soft0", a.name());
    assertEquals("soft1", b.name());
    assertEquals(List.of("soft0", "soft1", "soft2"), fabric.names());
    assertSame(fabric.core(), core);
  }

  @Test
  @IbFabric(faults = "loss rate=0.2", seed = 42, keys = "mtu=1024")
  @DisplayName("a method's own annotation: two devices, faults, keys; messages arrive all the same")
  void faults(StandaloneFabric fabric) {
    assertEquals(2, fabric.devices().size());
    assertEquals(Mtu.MTU_1024, fabric.device("soft1").queryPort(1).activeMtu());
    try (Pair pair = Pair.open(fabric)) {
      for (int i = 0; i < 20; i++) {
        assertArrayEquals(new int[] {i, -i}, pair.exchange(i, -i));
      }
    }
    long hit =
        fabric.names().stream()
            .map(n -> fabric.service(n, FaultInjection.class))
            .mapToLong(f -> f.list().getFirst().hit())
            .sum();
    assertTrue(hit > 0, "none of some hundred packets was lost");
  }

  @Test
  @DisplayName("a failed test tells the seed and the last packets, and everything is closed")
  void failed() {
    Throwable why = failure("fails");
    assertEquals("on purpose", why.getMessage());
    String told = why.getSuppressed()[0].getMessage();
    assertTrue(told.startsWith("replay: -Dib.kit.seed=77\nlast packets of soft0, of "), told);
    assertTrue(told.matches("(?s).*\n +\\+\\d.*us out RC_SEND_ONLY to QP 0x.*"), told);
    assertTrue(told.matches("(?s).*soft1.* in  RC_SEND_ONLY to QP .*; ICRC ok.*"), told);
  }

  @Test
  @DisplayName(
      "findings E1: a failed test tells why each queue pair is in trouble, also closed ones")
  void verdicts() {
    String told = failure("failsInTrouble").getSuppressed()[0].getMessage();
    assertTrue(told.matches("(?s).*\nQP 0x\\w+ RC ERR on soft0 since [0-9.]+ ms ago\n.*"), told);
    assertTrue(told.contains("\n  likely: the peer refused the rkey, the range"), told);
    assertTrue(told.contains("\n  likely: the peer asked for memory with an rkey"), told);
    assertTrue(told.contains("\n  likely: messages of the peer wait: no receive is posted"), told);
  }

  @Test
  @DisplayName("no more packets of each device than asked for")
  void few() {
    List<String> told = failure("failsInShort").getSuppressed()[0].getMessage().lines().toList();
    assertEquals(1 + 2 * (1 + 2), told.size(), told::toString);
  }

  @Test
  @DisplayName("a test that leaves a queue pair open fails, and the failure says where it was made")
  void leak() {
    Throwable why = failure("leaves");
    assertTrue(why instanceof IbLeakException, why.toString());
    assertTrue(why.getMessage().contains("standalone.Pair"), why.getMessage());
  }

  @Test
  @DisplayName("a parameter without a device is refused with what to try")
  void tooMany() {
    String message = failure("tooMany").getMessage();
    assertTrue(message.contains("Try: @IbFabric(devices = 2)"), message);
  }

  /** Runs one test of the inner class, and tells why it failed. */
  private static Throwable failure(String test) {
    String parameters =
        Arrays.stream(Inner.class.getDeclaredMethods())
            .filter(m -> m.getName().equals(test))
            .map(m -> Arrays.stream(m.getParameterTypes()).map(Class::getName).toList())
            .map(names -> String.join(",", names))
            .findFirst()
            .orElseThrow();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectMethod(Inner.class.getName(), test, parameters))
            .configurationParameter("junit.jupiter.conditions.deactivate", "*")
            .build();
    Optional<?>[] result = {Optional.empty()};
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier id, TestExecutionResult how) {
                if (id.isTest()) {
                  result[0] = how.getThrowable();
                }
              }
            });
    return (Throwable) result[0].orElseThrow(() -> new AssertionError("it did not fail"));
  }

  /** Tests that fail; run by the tests of the outer class only. */
  @EnabledIfSystemProperty(named = INNER, matches = "true")
  static final class Inner {
    @Test
    @IbFabric(packets = 100, seed = 77)
    void fails(StandaloneFabric fabric) {
      try (Pair pair = Pair.open(fabric)) {
        assertArrayEquals(new int[] {1, 2}, pair.exchange(1, 2));
      }
      fail("on purpose");
    }

    @Test
    @IbFabric(packets = 1)
    void failsInTrouble(StandaloneFabric fabric) {
      try (Pair pair = Pair.open(fabric)) {
        FabricWhyTest.writeByWrongKey(pair);
      }
      try (Pair pair = Pair.open(fabric)) {
        FabricWhyTest.sendWithoutReceive(pair);
        while (!fabric.why(pair.b().qp()).isTrouble()) {
          Thread.onSpinWait(); // the test has a limit
        }
        fail("on purpose");
      }
    }

    @Test
    @IbFabric(packets = 2)
    void failsInShort(StandaloneFabric fabric) {
      fails(fabric);
    }

    @Test
    @IbFabric
    void leaves(StandaloneFabric fabric) {
      Pair.open(fabric);
    }

    @Test
    @IbFabric(devices = 1)
    void tooMany(IbDevice a, IbDevice b) {
      fail(a + " and " + b);
    }
  }
}
