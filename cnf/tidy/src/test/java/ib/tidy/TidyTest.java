package ib.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("DESIGN 1 and 4: the house rules")
class TidyTest {
  private static House house;
  private static List<Source> sources;

  @BeforeAll
  static void read() throws IOException {
    house = new House(Path.of("../..").toRealPath());
    sources = house.sources();
  }

  @Test
  @DisplayName("the test reads the house: this very file is among the sources")
  void readsTheHouse() {
    assertTrue(sources.stream().anyMatch(s -> s.fileName().equals("TidyTest.java")));
    assertTrue(sources.stream().anyMatch(s -> s.product() && s.room().equals("ib.core")));
  }

  @Test
  @DisplayName("DESIGN 1: who may import whom")
  void imports() {
    assertClean(violations(ImportRules::check));
  }

  @Test
  @DisplayName("W4: no package cycle")
  void cycles() {
    assertClean(PackageCycles.check(sources));
  }

  @Test
  @DisplayName("canary: a package cycle is caught, over several packages, by a static import too")
  void cycleCanary() {
    Source a = importing("ib.a", "import ib.a.b.B;");
    Source b = importing("ib.a.b", "import ib.a.c.C;");
    assertEquals(List.of(), PackageCycles.check(List.of(a, b, importing("ib.a.c", ""))));
    Source c = importing("ib.a.c", "import static ib.a.b.B.Inner.f;");
    assertEquals(
        List.of(
            "a cycle of packages: ib.a.b -> ib.a.c -> ib.a.b",
            "a cycle of packages: ib.a.c -> ib.a.b -> ib.a.c"),
        PackageCycles.check(List.of(a, b, c)));
  }

  @Test
  @DisplayName("W2: a room of the engine knows only rooms before it")
  void engineRooms() {
    assertClean(violations(EngineRooms::check));
  }

  @ParameterizedTest
  @CsvSource({
    "time, import ib.engine.mr.Key;",
    "wire, import static ib.engine.run.RunList.add;",
    "run, import ib.engine.cq.*;",
    "link, class Y extends ib.engine.port.HcaPort {}",
    "qp, import ib.engine.SoftHca;",
    "qp, import ib.engine.control.QpSteps;",
    "direct, import ib.engine.packet.send.Requester;",
    "packet.send, import ib.engine.direct.DirectPath;",
    "packet.receive, import ib.engine.packet.send.Resend;",
    "packet.send, import ib.engine.control.QpSteps;",
    "qp, import ib.engine.port.HcaPort;",
    "control, import ib.engine.port.HcaCore;",
    "port, import ib.engine.verbs.SoftQp;",
    "port, import ib.engine.verbs.*;",
    "qp, import ib.engine.capture.Capture;",
    "capture, import ib.engine.cq.SoftCq;",
    "fault, import ib.engine.capture.Capture;",
    "newroom, import ib.core.wire.Psn;",
  })
  @DisplayName(
      "canary: a room of the engine that knows a later one, or is no known room, is caught")
  void engineRoomCanary(String room, String line) {
    assertEquals(1, EngineRooms.check(inEngine(room, line)).size());
  }

  @ParameterizedTest
  @CsvSource({
    "wire, import ib.engine.mr.Payload;",
    "cq, import ib.engine.run.Worker;",
    "qp, import static ib.engine.wire.Opcode.what;",
    "qp, import ib.engine.qp.QpCore;",
    "port, import ib.engine.control.QpSteps;",
    "verbs, import ib.engine.port.HcaCore;",
    "capture, import ib.engine.wire.Wire;",
    "fault, import ib.engine.SoftHca;",
    "time, import ib.core.wire.Psn;",
  })
  @DisplayName("a room of the engine may know those before it, itself, and other modules")
  void engineRoomsBefore(String room, String line) {
    assertEquals(List.of(), EngineRooms.check(inEngine(room, line)));
  }

  private static Source inEngine(String room, String line) {
    String text = "package ib.engine." + room + ";\n" + line + "\nclass X {}";
    return parse("ib.engine/src/main/java/X.java", text);
  }

  private static Source importing(String name, String line) {
    String path = "ib.a/src/main/java/" + name + ".java";
    return parse(path, "package " + name + ";\n" + line + "\nclass X {}");
  }

  @Test
  @DisplayName("W4: the page of a package names each class that has a lock")
  void lockMap() {
    assertClean(LockMap.check(sources));
  }

  @Test
  @DisplayName("W4: no class name twice in a bundle")
  void names() {
    assertClean(ClassNames.check(sources));
  }

  @Test
  @DisplayName("canary: a name of two types is caught in a bundle and in what it embeds, once")
  void nameCanary() {
    Source soft = parse("ib.driver.soft/src/main/java/ib/a/X.java", "package ib.a; class X {}");
    String other = "package ib.b; interface X {} class Y { record X() {} }";
    for (String room : List.of("ib.driver.soft", "ib.engine", "ib.driver.base")) {
      Source twice = parse(room + "/src/main/java/ib/b/X.java", other);
      assertEquals(
          List.of("one name, several types: ib.a.X, ib.b.X"),
          ClassNames.check(List.of(soft, twice)));
    }
    for (String path :
        List.of("ib.core/src/main", "ib.driver.rxe/src/main", "ib.engine/src/test")) {
      Source fine = parse(path + "/java/ib/b/X.java", other);
      assertEquals(List.of(), ClassNames.check(List.of(soft, fine)), path);
    }
  }

  @Test
  @DisplayName("DESIGN 4: sizes, names, banned calls, static state, swallowed exceptions")
  void code() {
    assertClean(violations(CodeRules::check));
  }

  @Test
  @DisplayName("issue 11, section 3: comments and texts of edited modules name who acts")
  void language() {
    assertClean(violations(LanguageRules::check));
  }

  @Test
  @DisplayName("DESIGN 4: a package-info.java in each package")
  void packageInfo() {
    assertClean(House.undescribed(sources));
  }

  @Test
  @DisplayName("DESIGN 1: a test stands in a package of its own room")
  void ownPackages() {
    assertClean(House.foreign(sources));
  }

  @Test
  @DisplayName("canary: a test in a foreign package is caught, below an own one it passes")
  void ownPackagesCanary() {
    String path = "ib.ulp.ipoib/src/test/java/X.java";
    for (String foreign : List.of("ib.driver.soft", "ib.ulp", "ib.ulp.ipoibx")) {
      Source test = parse(path, "package " + foreign + "; class X {}");
      assertEquals(1, House.foreign(List.of(test)).size(), foreign);
    }
    for (String own : List.of("ib.ulp.ipoib", "ib.ulp.ipoib.testing")) {
      Source test = parse(path, "package " + own + "; class X {}");
      assertEquals(List.of(), House.foreign(List.of(test)));
    }
  }

  @Test
  @DisplayName("issue 2, section 1: no host of a package registry in any file")
  void registryHosts() {
    assertClean(house.registryHosts());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @DisplayName("canary: forbidden uses are caught, as an import and fully qualified")
  @CsvSource({
    "ib.core, ib.engine.Hca",
    "ib.core, ib.tools.Tool",
    "ib.core, org.osgi.framework.Bundle",
    "ib.engine, ib.core.internal.Midlayer",
    "ib.engine, org.osgi.annotation.versioning.Version",
    "ib.engine, org.slf4j.Logger",
    "ib.engine, ib.driver.soft.Fabric",
    "ib.driver.soft, ib.driver.rxe.UdpWire",
    "ib.driver.soft, ib.core.internal.hotplug.Hotplug",
    "ib.driver.base, ib.driver.soft.SoftDevice",
    "ib.driver.soft, org.osgi.framework.BundleContext",
    "ib.ulp.ipoib, ib.engine.Hca",
    "ib.ulp.ipoib, ib.driver.soft.Fabric",
    "ib.ulp.ipoib, ib.core.spi.DeviceSlot",
    "ib.ulp.ipoib, ib.cm.internal.machine.Station",
    "ib.tools, ib.core.internal.Midlayer",
    "ib.tools, ib.engine.wire.Wire",
    "ib.kit, ib.engine.SoftHca",
    "ib.kit, ib.core.internal.Midlayer",
    "cnf/launcher, ib.core.verbs.IbDevice",
    "samples/plain, ib.core.internal.Midlayer",
    "samples/plain, ib.engine.wire.Wire",
    "samples/kv/server, ib.driver.soft.Fabric",
    "samples/driver, ib.driver.soft.Fabric",
    "samples/nvmet, ib.driver.rxe.RxeDriver",
    "samples/nvmet, ib.core.spi.StandaloneFabric",
  })
  void importCanary(String room, String type) {
    String head =
        "package " + (room.startsWith("cnf") ? "ib.launcher" : room.replace('/', '.')) + ";\n";
    String path = room + "/src/main/java/X.java";
    assertEquals(
        1, ImportRules.check(parse(path, head + "import " + type + ";\nclass X {}")).size());
    assertEquals(1, ImportRules.check(parse(path, head + "class X { " + type + " x; }")).size());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @DisplayName("allowed uses pass")
  @CsvSource({
    "ib.core, ib.core.internal.Midlayer",
    "ib.core, org.osgi.annotation.versioning.ProviderType",
    "ib.core, org.slf4j.Logger",
    "ib.engine, ib.core.spi.DriverDevice",
    "ib.engine, ib.core.verbs.IbDevice.Nested",
    "ib.driver.soft, ib.engine.wire.Wire",
    "ib.driver.soft, ib.engine.Hca",
    "ib.driver.base, ib.core.serial.Waits",
    "ib.driver.rxe, ib.driver.base.Slot",
    "ib.ulp.ipoib, ib.core.client.IbClient",
    "ib.ulp.ipoib, ib.cm.CmClient",
    "ib.ulp.ipoib, ib.core.config.ConfigKey",
    "ib.tools, ib.core.spi.DeviceSlot",
    "ib.kit, ib.core.spi.StandaloneCore",
    "cnf/launcher, org.osgi.framework.Bundle",
    "samples/plain, ib.core.verbs.IbDevice",
    "samples/kv/client, ib.core.client.IbClient",
    "samples/driver, ib.engine.wire.Wire",
    "samples/nvmet, ib.cm.rdma.RdmaCm",
  })
  void importAllowed(String room, String type) {
    String text = "package a;\nimport " + type + ";\nclass X { " + type + " x; }\n";
    assertEquals(List.of(), ImportRules.check(parse(room + "/src/main/java/X.java", text)));
  }

  @ParameterizedTest(name = "{0} imports {1}: {2}")
  @DisplayName("canary: an exported package of the core uses no internal one (W3)")
  @CsvSource({
    "ib.core.mad, ib.core.internal.device.BoundDevice, 1",
    "ib.core.mad, ib.core.verbs.IbDevice, 0",
    "ib.core.internal.mad, ib.core.internal.device.BoundDevice, 0",
    "ib.core.serial, ib.core.client.Incidents, 1",
    "ib.core.serial, ib.core.verbs.Fence, 0",
  })
  void exportedCanary(String from, String type, int found) {
    String text = "package " + from + ";\nimport " + type + ";\nclass X {}";
    assertEquals(found, ImportRules.check(parse("ib.core/src/main/java/X.java", text)).size());
  }

  @Test
  @DisplayName("DESIGN 1: a component knows OSGi, a plain class beside it does not")
  void components() {
    String use = "import org.osgi.framework.BundleContext;\n";
    String path = "ib.tools/src/main/java/X.java";
    assertEquals(List.of(), ImportRules.check(parse(path, use + "@Component class X {}")));
    assertEquals(1, ImportRules.check(parse(path, use + "class X {}")).size());
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("canary: bad code is caught, once")
  @CsvSource(
      delimiter = '|',
      value = {
        "class X { void f() { System.out.println(1); } }",
        "class X { java.io.PrintStream p = System.err; }",
        "class X { void f(Exception e) { e.printStackTrace(); } }",
        "class X { void f() { Thread.sleep(1); } }",
        "class X { void f() { java.util.concurrent.TimeUnit.SECONDS.sleep(1); } }",
        "class X { void f() { MILLISECONDS.sleep(1); } }",
        "class X { void f(int a, int b, int c, int d, int e, int f, int g) { } }",
        "class X { X(int a, int b, int c, int d, int e, int f, int g) { } }",
        "record X() { void f(int a, int b, int c, int d, int e, int f, int g) { } }",
        "class X { long f() { return System.currentTimeMillis(); } }",
        "class X { void f() { try { f(); } catch (RuntimeException e) { /* nothing */ } } }",
        "class X { static int count; }",
        "class X { private static volatile X instance; }",
        "class DeviceManager { }",
        "class X { record PortUtil() {} }",
        "class X { } // TO" + "DO",
        "package a.util; class X { }",
      })
  void codeCanary(String text) {
    assertEquals(1, CodeRules.check(parse("ib.core/src/main/java/X.java", text)).size(), text);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("six parameters pass, and the table of a record or an enum")
  @CsvSource(
      delimiter = '|',
      value = {
        "class X { void f(int a, int b, int c, int d, int e, int f) { } }",
        "record X(int a, int b, int c, int d, int e, int f, int g) { }",
        "enum X { ; X(int a, int b, int c, int d, int e, int f, int g) { } }",
      })
  void fewParameters(String text) {
    assertEquals(List.of(), CodeRules.check(parse("ib.core/src/main/java/X.java", text)));
  }

  @Test
  @DisplayName("canary: a line of code too many is caught; comments and blank lines do not count")
  void codeLines() {
    String full = "class X {\n" + "int a;\n".repeat(CodeRules.CODE_LINES - 2) + "}";
    String path = "ib.core/src/main/java/X.java";
    for (String free : List.of("", "\n\n", "// a\n", "/* a\n b\n\n c */\n", "  /** a */\n")) {
      assertEquals(List.of(), CodeRules.check(parse(path, free + full)), free);
    }
    for (String line :
        List.of("import a.B;\n", "/* a */ @interface A {}\n", "enum E { A } // a\n")) {
      assertEquals(1, CodeRules.check(parse(path, line + full)).size(), line);
    }
  }

  @Test
  @DisplayName("only the rooms of the engine that are rebuilt may be larger")
  void rebuilt() {
    String body =
        "; class X {\n"
            + "int a;\n".repeat(CodeRules.CODE_LINES)
            + "void f(int a, int b, int c, int d, int e, int f, int g) {} }";
    String text = "package ib.engine.qp" + body;
    for (String name : CodeRules.REBUILT) {
      String path = "/src/main/java/" + name + ".java";
      assertEquals(List.of(), CodeRules.check(parse("ib.engine" + path, text)));
      assertEquals(2, CodeRules.check(parse("ib.core" + path, text)).size());
    }
    assertEquals(2, CodeRules.check(parse("ib.engine/src/main/java/X.java", text)).size());
  }

  @Test
  @DisplayName(
      "canary: one line too many is caught, in a file, a method and a line; the limits themselves"
          + " pass")
  void sizes() {
    assertEquals(0, sized("\n".repeat(CodeRules.FILE_LINES - 1) + "class X {}"));
    assertEquals(1, sized("\n".repeat(CodeRules.FILE_LINES) + "class X {}"));
    assertEquals(
        0, sized("class X { void f() {" + "\n".repeat(CodeRules.METHOD_LINES - 1) + "} }"));
    assertEquals(1, sized("class X { void f() {" + "\n".repeat(CodeRules.METHOD_LINES) + "} }"));
    assertEquals(0, sized("class X {" + " ".repeat(CodeRules.COLUMNS - 10) + "}"));
    assertEquals(1, sized("class X {" + " ".repeat(CodeRules.COLUMNS - 9) + "}"));
  }

  private static int sized(String text) {
    return CodeRules.check(parse("ib.core/src/test/java/X.java", text)).size();
  }

  @Test
  @DisplayName("canary: a registry host and a package without a description are caught")
  void fileCanary() {
    assertEquals(
        1, House.registryHosts("a", "<url>https://repo1.maven" + ".org/maven2</url>").size());
    List<Source> lonely = List.of(parse("ib.core/src/main/java/a/X.java", "package a; class X {}"));
    assertEquals(1, House.undescribed(lonely).size());
    List<Source> both = new ArrayList<>(lonely);
    both.add(parse("ib.core/src/main/java/a/package-info.java", "package a;"));
    assertEquals(0, House.undescribed(both).size());
  }

  private static Source parse(String path, String text) {
    return Source.parse(path, text);
  }

  private static List<String> violations(Function<Source, List<String>> rule) {
    return sources.stream().flatMap(source -> rule.apply(source).stream()).toList();
  }

  private static void assertClean(List<String> violations) {
    assertEquals(0, violations.size(), () -> "\n" + String.join("\n", violations) + "\n");
  }
}
