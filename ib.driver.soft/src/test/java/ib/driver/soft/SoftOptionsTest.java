package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbInvalidException;
import ib.driver.base.NumberKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@DisplayName("F25 the form in the bundle and the reader have the same keys, ranges and defaults")
final class SoftOptionsTest {
  private static final Path FORMS = Path.of("target", "classes", "OSGI-INF", "metatype");
  private static final String DEVICE = "ib.driver.soft";

  private static Document metatype(String pid) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(FORMS.resolve(pid + ".xml").toFile());
  }

  private static Map<String, Element> attributes(String pid) throws Exception {
    NodeList list = metatype(pid).getElementsByTagName("AD");
    Map<String, Element> byKey = new TreeMap<>();
    for (int i = 0; i < list.getLength(); i++) {
      Element ad = (Element) list.item(i);
      byKey.put(ad.getAttribute("id"), ad);
    }
    return byKey;
  }

  @Test
  @DisplayName("F25 the form is designated for the factory PID")
  void designate() throws Exception {
    Element designate = (Element) metatype(DEVICE).getElementsByTagName("Designate").item(0);
    assertEquals("ib.driver.soft", designate.getAttribute("factoryPid"));
  }

  @Test
  @DisplayName("F25 the fabric has a form of its own, whose keys and ranges its reader knows")
  void fabric() throws Exception {
    Map<String, Element> form = attributes(SoftFabric.PID);
    assertEquals(Set.of("ibsim.port", "sm.priority", "sm.key", "topology"), form.keySet());
    Element designate =
        (Element) metatype(SoftFabric.PID).getElementsByTagName("Designate").item(0);
    assertEquals(SoftFabric.PID, designate.getAttribute("pid"));
    SoftFabric reader = new SoftFabric();
    try {
      int most = Integer.parseInt(form.get("ibsim.port").getAttribute("max"));
      reader.configure(Map.of("ibsim.port", form.get("ibsim.port").getAttribute("default")));
      assertThrows(
          IbInvalidException.class, () -> reader.configure(Map.of("ibsim.port", most + 1)));
      assertThrows(IbInvalidException.class, () -> reader.configure(Map.of("ibsim.port", -1)));
      assertThrows(IbInvalidException.class, () -> reader.configure(Map.of("port", 7070)));
      int first = Integer.parseInt(form.get("sm.priority").getAttribute("max"));
      reader.configure(Map.of("sm.priority", first));
      assertEquals(first, reader.fabric().smPriority());
      reader.configure(Map.of());
      assertEquals(form.get("sm.priority").getAttribute("default"), "" + 0);
      assertEquals(0, reader.fabric().smPriority());
      assertThrows(
          IbInvalidException.class, () -> reader.configure(Map.of("sm.priority", first + 1)));
      assertEquals("Password", form.get("sm.key").getAttribute("type"));
      assertEquals(1, reader.fabric().smKey());
      reader.configure(Map.of("sm.key", "0xfeedfacecafebeef"));
      assertEquals(0xfeedfacecafebeefL, reader.fabric().smKey());
      IbInvalidException e =
          assertThrows(
              IbInvalidException.class, () -> reader.configure(Map.of("sm.key", "secret!")));
      assertFalse(e.getMessage().contains("secret!"), e.getMessage());
    } finally {
      reader.deactivate();
    }
  }

  @Test
  @DisplayName("F25 every key is in the form and the form has no other")
  void keys() throws Exception {
    TreeSet<String> keys = new TreeSet<>();
    for (NumberKey key : NumberKey.values()) {
      keys.add(key.key());
    }
    keys.addAll(
        java.util.List.of(
            "name", "switch", "guid", "link", "mtu", "pkeys", "faults", "fault_seed"));
    assertEquals(keys, attributes(DEVICE).keySet());
  }

  @Test
  @DisplayName("F25 ranges and defaults agree")
  void ranges() throws Exception {
    Map<String, Element> form = attributes(DEVICE);
    for (NumberKey key : NumberKey.values()) {
      Element ad = form.get(key.key());
      assertEquals(String.valueOf(key.least()), ad.getAttribute("min"), key.key());
      assertEquals(String.valueOf(key.most()), ad.getAttribute("max"), key.key());
      assertEquals(String.valueOf(key.standard()), ad.getAttribute("default"), key.key());
      assertEquals("Integer", ad.getAttribute("type"), key.key());
    }
  }

  @Test
  @DisplayName("F25 the form's defaults are a configuration, the one without any value")
  void defaults() throws Exception {
    Map<String, Object> values = new TreeMap<>();
    attributes(DEVICE)
        .forEach(
            (key, ad) -> {
              assertFalse(ad.getAttribute("description").isEmpty(), key);
              if (ad.hasAttribute("default")) {
                values.put(key, ad.getAttribute("default"));
              }
            });
    assertEquals(ConfigReader.read("x", Map.of()), ConfigReader.read("x", values));
  }
}
