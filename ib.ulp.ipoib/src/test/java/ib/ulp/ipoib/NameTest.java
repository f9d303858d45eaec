package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.standalone.SoftFabric;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.FakeSubnet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("B1: names of interfaces")
class NameTest {
  /** What devices are called that come in an order. */
  private static Map<String, String> named(Map<String, String> reserved, String... order) {
    StandaloneCore core = StandaloneCore.create();
    Map<String, String> named = new TreeMap<>();
    CmClient cm = CmClient.create();
    core.core().registerClient(cm);
    try (FakeSubnet subnet = new FakeSubnet()) {
      Ipoib ipoib =
          new Ipoib(
              cm, LinkConfig.DEFAULT, List.of(), reserved, subnet::open, name -> Backend.inJvm());
      ClientRegistration client = core.core().registerClient(ipoib, CmClient.NAME);
      try (SoftFabric _ = SoftFabric.options().on(core).devices(order).open()) {
        ipoib.interfaces().forEach(each -> named.put(each.where(), each.name()));
      }
      client.unregister();
    }
    core.close();
    return named;
  }

  @Test
  @DisplayName(
      "a reserved name belongs to its port in any order of devices, and no other port " + "gets it")
  void reserved() {
    Map<String, String> reserved =
        IpoibConfig.read(Map.of("interfaces", "ib0 first/1, ib1 second/1")).names();
    Map<String, String> is = Map.of("first/1", "ib0", "second/1", "ib1", "third/1", "ib2");
    assertEquals(is, named(reserved, "first", "second", "third"));
    assertEquals(is, named(reserved, "third", "second", "first"));
    assertEquals(Map.of("third/1", "ib2"), named(reserved, "third"));
  }

  @Test
  @DisplayName("without reserved names, interfaces are numbered in the order of their ports")
  void arrival() {
    assertTrue(IpoibConfig.read(Map.of()).names().isEmpty());
    assertEquals(Map.of("b/1", "ib0", "a/1", "ib1"), named(Map.of(), "b", "a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ib0", "eth0 a/1", "ib0 a", "ib01 a/1", "ib0 a/1, ib0 b/1", "ib0 a/1, ib1 a/1"})
  @DisplayName("a wrong entry, or a name or port twice, is refused with the key and an example")
  void refused(String value) {
    IbInvalidException e =
        assertThrows(IbInvalidException.class, () -> IpoibConfig.read(Map.of("interfaces", value)));
    assertTrue(e.getMessage().contains("interfaces") && e.getMessage().contains("ib0 soft0/1"));
  }
}
