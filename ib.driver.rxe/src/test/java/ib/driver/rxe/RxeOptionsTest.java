package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.driver.base.NumberKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@DisplayName("F25 the form in the bundle and the reader have the same keys, ranges and defaults")
final class RxeOptionsTest {
  private static final Path BUNDLE = Path.of("target", "classes", "OSGI-INF");

  private static Document metatype() throws Exception {
    try (var files = Files.list(BUNDLE.resolve("metatype"))) {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(files.findFirst().orElseThrow().toFile());
    }
  }

  private static Map<String, Element> attributes() throws Exception {
    NodeList list = metatype().getElementsByTagName("AD");
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
    Element designate = (Element) metatype().getElementsByTagName("Designate").item(0);
    assertEquals("ib.driver.rxe", designate.getAttribute("factoryPid"));
  }

  @Test
  @DisplayName("F25 every key is in the form and the form has no other")
  void keys() throws Exception {
    TreeSet<String> keys = new TreeSet<>(RxeReader.TEXTS);
    for (NumberKey key : NumberKey.values()) {
      if (key != NumberKey.PORTS) {
        keys.add(key.key());
      }
    }
    for (RxeReader.Number key : RxeReader.Number.values()) {
      keys.add(key.key());
    }
    assertEquals(keys, attributes().keySet());
  }

  @Test
  @DisplayName("F25 ranges and defaults agree")
  void ranges() throws Exception {
    Map<String, Element> form = attributes();
    for (NumberKey key : NumberKey.values()) {
      if (key != NumberKey.PORTS) {
        range(form.get(key.key()), key.least(), key.standard(), key.most());
      }
    }
    for (RxeReader.Number key : RxeReader.Number.values()) {
      range(form.get(key.key()), key.least, key.standard, key.most);
    }
  }

  private static void range(Element ad, int least, int standard, int most) {
    assertEquals(String.valueOf(least), ad.getAttribute("min"));
    assertEquals(String.valueOf(most), ad.getAttribute("max"));
    assertEquals(String.valueOf(standard), ad.getAttribute("default"));
    assertEquals("Integer", ad.getAttribute("type"));
  }

  @Test
  @DisplayName("F25 the form's defaults are a configuration, the one without any value")
  void defaults() throws Exception {
    Map<String, Object> values = new TreeMap<>();
    attributes()
        .forEach(
            (key, ad) -> {
              assertFalse(ad.getAttribute("description").isEmpty(), key);
              if (ad.hasAttribute("default")) {
                values.put(key, ad.getAttribute("default"));
              }
            });
    values.put("address", "10.0.0.1");
    assertEquals(RxeReader.read("x", Map.of("address", "10.0.0.1")), RxeReader.read("x", values));
  }
}
