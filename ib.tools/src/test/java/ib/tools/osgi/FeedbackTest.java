package ib.tools.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.cm.ConfigurationEvent;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.slf4j.LoggerFactory;

@DisplayName("finding U13: what is said of files in watched folders, on a busy machine too")
final class FeedbackTest {
  private static final int A_MINUTE = 30; // looks
  private static final int WAITS = 12;
  private static final String NONE = "no file: no bundle takes the configuration a.driver";

  @TempDir Path folder;
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("ib.deploy");
  private final Queue<Runnable> later = new ArrayDeque<>();
  private int state; // of the bundle; 0: it is not installed

  @BeforeEach
  void listen() {
    said.start();
    log.addAppender(said);
  }

  @AfterEach
  void leave() {
    log.detachAppender(said);
  }

  private static <T> T fake(Class<T> type, Function<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getReturnType() == boolean.class
                    ? (Object) false
                    : answers.apply(method.getName())));
  }

  private BundleContext context() {
    Bundle bundle = fake(Bundle.class, name -> name.equals("getState") ? state : null);
    return fake(
        BundleContext.class,
        name ->
            switch (name) {
              case "getProperty" -> folder.toString();
              case "getBundle" -> state == 0 ? null : bundle;
              default -> null;
            });
  }

  private void jar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Bundle-SymbolicName", "a.driver");
    try (OutputStream out = Files.newOutputStream(folder.resolve("a.driver.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
  }

  private List<String> said() {
    return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  @DisplayName("a jar that can be a bundle has a minute, one that cannot has some seconds")
  void jars() throws IOException {
    jar();
    Files.writeString(folder.resolve("broken.jar"), "no archive");
    FileFeedback feedback = new FileFeedback(context(), List.of(folder));
    String broken = "broken.jar has not become a bundle: zip END header not found";
    for (int look = 1; look < A_MINUTE; look++) {
      feedback.look();
      assertEquals(look < 2 ? List.of() : List.of(broken), said(), "look " + look);
    }
    feedback.look();
    feedback.look();
    String failed = "has not become a bundle: its installation has failed, see the log above";
    assertEquals(List.of(broken, "a.driver.jar " + failed), said());
  }

  private ConfigurationFeedback configured() {
    ServiceComponentRuntime components = fake(ServiceComponentRuntime.class, name -> List.of());
    ConfigurationFeedback feedback = new ConfigurationFeedback(context(), components, later::add);
    @SuppressWarnings("unchecked")
    ServiceReference<org.osgi.service.cm.ConfigurationAdmin> admin =
        fake(ServiceReference.class, name -> null);
    feedback.configurationEvent(
        new ConfigurationEvent(admin, ConfigurationEvent.CM_UPDATED, "a.driver", "a.driver~x"));
    return feedback;
  }

  @Test
  @DisplayName("nothing is said of a configuration while the bundle of a jar is still to come")
  void comes() throws IOException {
    jar();
    configured();
    later.remove().run();
    state = Bundle.STARTING;
    later.remove().run();
    assertEquals(List.of(), said());
    state = Bundle.ACTIVE; // and it does not take the configuration
    later.remove().run();
    assertEquals(List.of(NONE), said());
    assertEquals(0, later.size());
  }

  @Test
  @DisplayName("the wait for a bundle that does not come ends after a minute, or with the runtime")
  void neverComes() throws IOException {
    jar();
    ConfigurationFeedback ended = configured();
    ended.deactivate();
    later.remove().run();
    assertEquals(0, later.size());
    configured();
    for (int i = 1; i < WAITS; i++) {
      later.remove().run();
      assertEquals(List.of(), said());
    }
    later.remove().run();
    assertEquals(List.of(NONE), said());
    assertEquals(0, later.size());
  }
}
