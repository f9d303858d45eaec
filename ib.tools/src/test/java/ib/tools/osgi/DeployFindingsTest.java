package ib.tools.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.health.Finding;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

@DisplayName("finding A10: the doctor names a jar that does not run and a PID that no bundle takes")
final class DeployFindingsTest {
  @TempDir Path home;
  private Path conf;
  private Path deploy;
  private final Map<String, Configuration> configurations = new HashMap<>(); // by their file
  private String[] taken = {"ib.driver.soft", "ib.core"};
  private final Set<String> installed = Set.of("runs.jar");

  @BeforeEach
  void folders() throws IOException {
    conf = Files.createDirectory(home.resolve("conf"));
    deploy = Files.createDirectory(home.resolve("deploy"));
  }

  private static <T> T fake(Class<T> type, BiFunction<String, Object[], Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(method.getName(), arguments)));
  }

  private void configure(String file, String pid, String factory) throws IOException {
    Files.createFile(conf.resolve(file));
    configurations.put(
        conf.resolve(file).toFile().toURI().toString(),
        fake(Configuration.class, (m, a) -> m.equals("getFactoryPid") ? factory : pid));
  }

  private List<String> found() {
    Bundle bundle = fake(Bundle.class, (method, a) -> null);
    BundleContext context =
        fake(
            BundleContext.class,
            (method, a) ->
                switch (method) {
                  case "getProperty" -> conf + ", " + deploy + "," + home.resolve("none");
                  case "getBundle" ->
                      installed.stream().anyMatch(a[0].toString()::endsWith) ? bundle : null;
                  default -> null;
                });
    ComponentDescriptionDTO component = new ComponentDescriptionDTO();
    component.configurationPid = taken;
    ServiceComponentRuntime components =
        fake(ServiceComponentRuntime.class, (method, a) -> List.of(component));
    ConfigurationAdmin admin = fake(ConfigurationAdmin.class, (method, a) -> list((String) a[0]));
    return new DeployFindings(context, components, admin)
        .find().stream().map(DeployFindingsTest::line).toList();
  }

  /** The framework's own filter decides, so that a file's name that is no filter is seen. */
  private Configuration[] list(String filter) {
    try {
      var match = FrameworkUtil.createFilter(filter);
      Configuration[] all =
          configurations.entrySet().stream()
              .filter(e -> match.matches(Map.of("felix.fileinstall.filename", e.getKey())))
              .map(Map.Entry::getValue)
              .toArray(Configuration[]::new);
      return all.length == 0 ? null : all;
    } catch (org.osgi.framework.InvalidSyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static String line(Finding f) {
    return f.check() + " " + f.verdict() + " " + f.text();
  }

  @Test
  @DisplayName("A10 a jar that is no bundle")
  void jars() throws IOException {
    for (String file : List.of("idle.jar", "runs.jar", "notes.txt")) {
      Files.createFile(deploy.resolve(file));
    }
    assertEquals(List.of("bundles WARN deploy/idle.jar does not run"), found());
  }

  @Test
  @DisplayName(
      "A10 a misspelt PID, and one whose driver is missing; not what does not come from a file")
  void pids() throws IOException {
    configure("ib.driver.sotf-a (1).cfg", "ib.driver.sotf~a", "ib.driver.sotf");
    configure("ib.driver.soft-b.cfg", "ib.driver.soft~b", "ib.driver.soft");
    configure("ib.core.cfg", "ib.core", null);
    configurations.put("file:/elsewhere.cfg", fake(Configuration.class, (m, a) -> "other"));
    String none = ": no bundle takes the configuration ";
    String misspelt =
        "bundles FAIL conf/ib.driver.sotf-a (1).cfg"
            + none
            + "ib.driver.sotf; did you mean ib.driver.soft?";
    assertEquals(List.of(misspelt), found());
    configure("jmx.acl.cfg", "jmx.acl", null); // Karaf's, read by its own code
    assertEquals(List.of(misspelt, "bundles WARN conf/jmx.acl.cfg" + none + "jmx.acl"), found());
    taken = new String[] {"ib.core"};
    assertEquals(
        List.of(
            "bundles FAIL conf/ib.driver.soft-b.cfg" + none + "ib.driver.soft",
            "bundles FAIL conf/ib.driver.sotf-a (1).cfg" + none + "ib.driver.sotf",
            "bundles WARN conf/jmx.acl.cfg" + none + "jmx.acl"),
        found());
  }
}
