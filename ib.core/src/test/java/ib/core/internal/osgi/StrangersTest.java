package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.BundleWire;
import org.osgi.framework.wiring.BundleWiring;

@DisplayName("A15: who uses the classes of before an update")
class StrangersTest {
  private static final String PACKAGE = "some.api";

  @Test
  @DisplayName(
      "A15: the text names every importer and the command to type; before the update no bundle")
  void a15Importers(@TempDir Path storage) throws Exception {
    Framework framework = new Framework(storage);
    try {
      Map<String, String> exports = Map.of(Constants.EXPORT_PACKAGE, PACKAGE);
      Map<String, String> imports = Map.of(Constants.IMPORT_PACKAGE, PACKAGE);
      Bundle core = framework.bundle("some.core", exports);
      framework.bundle("some.driver", imports);
      framework.bundle("some.tools", imports);
      framework.bundle("a.neighbour");
      assertEquals(Optional.empty(), Strangers.told(core, framework.context()));
      core.update(new ByteArrayInputStream(Framework.jar("some.core", exports)));
      assertEquals(
          Optional.of(
              "some.driver, some.tools still use the classes of some.core before its update: their"
                  + " devices, clients and commands are gone until you type felix:refresh "
                  + core.getBundleId()),
          Strangers.told(core, framework.context()));
    } finally {
      framework.close();
    }
  }

  @Test
  @DisplayName("A15: a wiring that goes out of use meanwhile has no wires, and is passed over")
  void goingOutOfUse() {
    Bundle updated = answering(Bundle.class, Map.of());
    BundleWire loose = answering(BundleWire.class, Map.of());
    BundleWiring going = answering(BundleWiring.class, Map.of());
    BundleWiring wired = answering(BundleWiring.class, Map.of("getRequiredWires", List.of(loose)));
    Bundle[] all = {
      answering(Bundle.class, Map.of("adapt", going)),
      answering(Bundle.class, Map.of("adapt", wired))
    };
    BundleContext context = answering(BundleContext.class, Map.of("getBundles", all));
    assertEquals(Optional.empty(), Strangers.told(updated, context));
  }

  /** An object of the framework, whose methods return what the map says by name, or null. */
  private static <T> T answering(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            StrangersTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> answers.get(method.getName())));
  }
}
