package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.ProtectionDomain;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 15, point 2: every broken clause is in one list")
class ViolationReportsTest {
  /** Leaves behind what it makes, and keeps its handle. */
  private static final class Careless implements IbClient {
    private final List<ProtectionDomain> made = new ArrayList<>();

    @Override
    public String name() {
      return "careless";
    }

    @Override
    public Object add(IbDevice device) {
      made.add(device.allocPd());
      return this;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object state) {}
  }

  private static Violation only(StandaloneCore core) {
    List<Violation> all = core.core().violations();
    assertEquals(1, all.size(), all::toString);
    return all.getFirst();
  }

  @Test
  @DisplayName("S32, CC-20: a leak is a violation, with the place where the object was made")
  void leak() {
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("fake0"));
      ClientRegistration careless = core.core().registerClient(new Careless());
      assertEquals(List.of(), core.core().violations());
      careless.unregister();
      Violation v = only(core);
      assertEquals("S32", v.clause());
      assertEquals("careless", v.culprit());
      assertTrue(
          v.text().matches("left PD \\d+ of fake0 behind, made \\d+ ms ago by main"), v.text());
      assertFalse(v.instead().isEmpty(), "what to do instead");
      assertFalse(v.stack().isEmpty(), "where it was made");
    }
  }

  @Test
  @DisplayName("S32: a call through a handle after the removal is refused, and a violation")
  void useAfterRemoval() {
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("fake0"));
      Careless client = new Careless();
      ClientRegistration careless = core.core().registerClient(client);
      ProtectionDomain pd = client.made.getFirst();
      pd.close();
      careless.unregister();
      assertEquals(List.of(), core.core().violations());
      pd.close(); // again: no harm
      assertEquals(List.of(), core.core().violations());
    }
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("fake0"));
      Careless client = new Careless();
      core.core().registerClient(client).unregister();
      ProtectionDomain pd = client.made.getFirst();
      assertThrows(IbDisassociatedException.class, () -> pd.allocMemory(64, 0, 0));
      List<Violation> all = core.core().violations();
      assertEquals(List.of("S32", "S32"), all.stream().map(Violation::clause).toList());
      Violation v = all.getLast();
      assertEquals("careless", v.culprit());
      assertTrue(v.text().endsWith("was called after the client was removed"), v.text());
      assertTrue(v.stack().stream().anyMatch(f -> f.contains("useAfterRemoval")), v::toString);
    }
  }

  @Test
  @DisplayName("JMX shows how many there are, and their reports")
  void jmx() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName all = new ObjectName("ib:type=Contract,*");
    Set<ObjectName> others = server.queryNames(all, null); // of other midlayers in this JVM
    ObjectName bean;
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(new FakeDevice("fake0"));
      core.core().registerClient(new Careless()).unregister();
      Wait.until(() -> server.queryNames(all, null).size() > others.size());
      Set<ObjectName> shown = new HashSet<>(server.queryNames(all, null));
      shown.removeAll(others);
      bean = shown.iterator().next();
      assertEquals(1L, server.getAttribute(bean, "count"));
      String[] reports = (String[]) server.getAttribute(bean, "violations");
      assertArrayEquals(new String[] {only(core).report()}, reports);
    }
    assertFalse(server.isRegistered(bean));
  }
}
