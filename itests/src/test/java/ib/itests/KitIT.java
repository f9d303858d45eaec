package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.Rule;
import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.rules.TemporaryFolder;

/** {@code ib kit} judges the jar of a driver that it does not know. */
@Category(Finding.class)
public class KitIT {

  private static final String DRIVER = "deploy/ib.driver.soft.jar";
  private static final Map<String, String> SHORT_WAIT = Map.of("IB_OPTS", "-Dib.exec.wait.s=1");
  private static final long PARK_NS = 100_000;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path report() {
    return temporary.getRoot().toPath().resolve("report.html");
  }

  /** {@return what the report says of the cases that failed, if there is one} */
  private String failures() throws IOException {
    if (!Files.exists(report())) {
      return "\nno report"; // the run ended before: its own words say why
    }
    Matcher rows =
        Pattern.compile("(?s)<tr class=\"failed\"><td>[A-Z]+-.*?</tr>")
            .matcher(Files.readString(report()));
    return rows.results().map(MatchResult::group).collect(Collectors.joining("\n", "\n", ""));
  }

  private Program kit(Path driver, String cases) throws Exception {
    return kit(Map.of("IB_OPTS", Distro.PATIENT), driver, cases);
  }

  private Program kit(Map<String, String> environment, Path driver, String cases) throws Exception {
    String ib = Distro.HOME.resolve("bin/ib").toString();
    List<String> line =
        new ArrayList<>(List.of("sh", ib, "kit", "-c", cases, "-o", report().toString()));
    line.add(driver.toString());
    for (String device : List.of("soft0", "soft1")) {
      line.add(Distro.HOME.resolve("conf/ib.driver.soft-" + device + ".cfg").toString());
    }
    return Program.run(line, "", environment, Await.HANG_S);
  }

  @Test
  public void issue15ADriverThatKeepsTheContractPassesAndTheReportSaysSo() throws Exception {
    Program run = kit(Distro.HOME.resolve(DRIVER), "CTX-.*|HELD-.*|CALL-04.|HOT-061");
    assertEquals(run.out() + run.err(), 0, run.status());
    assertTrue(run.out(), run.out().contains("33 cases: 33 passed, 0 failed, 0 skipped\n"));
    assertEquals("", run.err());
    String page = Files.readString(report());
    assertTrue(page, page.contains("The contract of a device: ib.driver.soft "));
    assertTrue(page, page.contains("<td>HELD-002</td><td>while add runs"));
    assertTrue(page, page.contains("<tr class=\"passed\"><td>S30</td><td>2</td>"));
    assertFalse(page, page.contains("<tr class=\"failed\">"));
    assertFalse("another file is needed", page.contains("<script") || page.contains("http"));
  }

  @Test
  public void issue15TheWholeKitRunsWovenWithoutAReport() throws Exception {
    Map<String, String> woven = Map.of("IB_OPTS", "-Dib.verify=true " + Distro.PATIENT);
    Program run = kit(woven, Distro.HOME.resolve(DRIVER), ".*");
    assertEquals(run.out() + run.err() + failures(), 0, run.status());
    assertTrue(run.out(), run.out().matches("(?s)1\\d\\d\\d cases: 1\\d\\d\\d passed, 0 failed.*"));
  }

  @Test
  public void issue15ADriverThatParksInAPostFailsAndTheReportHasTheEvidence() throws Exception {
    Path flawed = temporary.getRoot().toPath().resolve("flawed.jar");
    parkInPosts(Distro.HOME.resolve(DRIVER), flawed);
    Program run = kit(flawed, "CTX-00[35]");
    assertEquals(run.out() + run.err(), 1, run.status());
    assertTrue(run.out(), run.out().contains("FAILED CTX-005 postSend (S6) never blocks"));
    assertTrue(run.out(), run.out().contains("2 cases: 1 passed, 1 failed, 0 skipped\n"));
    String page = Files.readString(report());
    assertTrue(page, page.contains("<tr class=\"failed\"><td>S6</td><td>0</td><td>1</td>"));
    assertTrue(page, page.contains("postSend (S6) blocked the caller "));
    assertTrue(page, page.contains("<tr class=\"passed\"><td>CTX-003</td>"));
  }

  /** Writes a copy of a driver's jar whose queue pairs park in each post of a send. */
  private static void parkInPosts(Path from, Path to) throws IOException {
    try (JarFile jar = new JarFile(from.toFile());
        OutputStream file = Files.newOutputStream(to);
        JarOutputStream copy = new JarOutputStream(file)) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        copy.putNextEntry(new JarEntry(entry.getName()));
        try (InputStream in = jar.getInputStream(entry)) {
          byte[] bytes = in.readAllBytes();
          copy.write(
              entry.getName().equals("ib/engine/verbs/SoftQp.class") ? parking(bytes) : bytes);
        }
      }
    }
  }

  private static byte[] parking(byte[] queuePair) {
    CodeTransform park =
        new CodeTransform() {
          @Override
          public void atStart(CodeBuilder code) {
            code.loadConstant(PARK_NS)
                .invokestatic(
                    ClassDesc.of("java.util.concurrent.locks.LockSupport"),
                    "parkNanos",
                    MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long));
          }

          @Override
          public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
          }
        };
    ClassFile classes = ClassFile.of();
    return classes.transformClass(
        classes.parse(queuePair),
        ClassTransform.transformingMethodBodies(
            m -> m.methodName().equalsString("postSend"), park));
  }

  private void refused(String sentence, String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of("kit"));
    line.addAll(List.of(arguments));
    Program run = Program.ib(Distro.HOME, "", SHORT_WAIT, line.toArray(String[]::new));
    assertEquals(run.err(), 1, run.status());
    assertEquals("ib: " + sentence + "\n", withoutLog(run.err()));
  }

  /** The framework logs a bundle that does not resolve, too; at times the program ends before. */
  private static String withoutLog(String err) {
    return err.replaceAll("(?m)^\\[\\S+ ERROR \\S+ +Unable to resolve .*\\R", "");
  }

  @Test
  public void issue15AFileThatIsNoBundleIsRefusedByOneSentence() throws Exception {
    Path text = temporary.newFile("text.jar").toPath();
    Files.writeString(text, "no archive");
    refused(text + " is no jar file: name the jar of a driver's bundle", text.toString());
    Path plain = jar("plain.jar", Map.of());
    refused(
        plain
            + " is no bundle: build it with bnd, which writes Bundle-SymbolicName and what else"
            + " belongs into its manifest (samples/driver shows how)",
        plain.toString());
    refused("missing.jar: no such file", "missing.jar");
  }

  @Test
  public void issue15ABundleWithoutDevicesIsRefusedByOneSentence() throws Exception {
    Path none = jar("none.jar", Map.of("Bundle-SymbolicName", "none"));
    refused(
        "none has 0 IbDevice services after 1 s and the suite needs 2 that reach each other: name a"
            + " file PID-NAME.cfg for each device",
        none.toString());
  }

  @Test
  public void issue15ABundleThatDoesNotResolveIsRefusedByOneSentence() throws Exception {
    Map<String, String> lonely =
        Map.of("Bundle-SymbolicName", "lonely", "Import-Package", "no.such.place");
    refused(
        "lonely does not resolve: missing requirement [lonely] osgi.wiring.package;"
            + " (osgi.wiring.package=no.such.place); name the jar of a bundle that offers it, too,"
            + " after lonely.jar",
        jar("lonely.jar", lonely).toString());
  }

  @Test
  public void issue15WithoutAJarTheUsageIsPrinted() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "kit");
    assertEquals(2, run.status());
    assertTrue(run.err(), run.err().startsWith("usage: ib kit [-c CASES] [-o FILE] DRIVER.jar"));
  }

  private Path jar(String name, Map<String, String> headers) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (!headers.isEmpty()) {
      main.putValue("Bundle-ManifestVersion", "2");
    }
    headers.forEach(main::putValue);
    Path file = temporary.getRoot().toPath().resolve(name);
    try (OutputStream out = Files.newOutputStream(file)) {
      new JarOutputStream(out, manifest).close();
    }
    return file;
  }
}
