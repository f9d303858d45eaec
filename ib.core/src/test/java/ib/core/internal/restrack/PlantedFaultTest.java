package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, V7: the calls of an add fail one after the other (B18)")
class PlantedFaultTest {
  private static final int CALLS = 4;

  /** Closes what it has made when a call fails, or forgets to. */
  private record Client(boolean careful) implements IbClient {
    @Override
    public String name() {
      return "ulp";
    }

    @Override
    public Object add(IbDevice device) {
      Deque<AutoCloseable> made = new ArrayDeque<>();
      try {
        device.queryPort(1);
        ProtectionDomain pd = device.allocPd();
        made.push(pd);
        CompletionQueue cq = device.createCq(new CqInit(8));
        made.push(cq);
        made.push(pd.allocMemory(64, 0, 0));
        return made;
      } catch (RuntimeException e) {
        if (careful) {
          made.forEach(Client::close);
        }
        throw e;
      }
    }

    private static void close(AutoCloseable thing) {
      try {
        thing.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void remove(IbDevice device, @Nullable Object made) {
      if (made instanceof Deque<?> all) {
        all.forEach(thing -> close((AutoCloseable) thing));
      }
    }
  }

  @AfterEach
  void clear() {
    System.clearProperty(PlantedFault.PROPERTY);
  }

  /** {@return the clauses that were broken} */
  private static List<String> run(boolean careful, int step) {
    System.setProperty(PlantedFault.PROPERTY, "ulp:" + step);
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("fake0"));
      ClientRegistration ulp = core.core().registerClient(new Client(careful));
      ClientStatus status =
          core.core().clients().stream().filter(c -> c.name().equals("ulp")).findAny().get();
      assertEquals(step <= CALLS, status.toString().contains("a fault that ib.fail plants"));
      ulp.unregister();
      assertTrue(core.core().resources().stream().noneMatch(r -> r.owner().equals("ulp")));
      return core.core().violations().stream().map(v -> v.clause()).toList();
    }
  }

  @Test
  @DisplayName("B18: a client that cleans up leaves nothing behind, whichever call fails")
  void careful() {
    for (int step = 1; step <= CALLS + 1; step++) {
      assertEquals(List.of(), run(true, step), "step " + step);
    }
  }

  @Test
  @DisplayName("B18: a client that does not is named, from the first object on")
  void careless() {
    assertEquals(List.of(), run(false, 2));
    assertFalse(run(false, 3).isEmpty());
    assertFalse(run(false, 4).isEmpty());
  }
}
