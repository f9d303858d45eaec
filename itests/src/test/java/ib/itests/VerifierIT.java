package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ib.itests.verify.SleepyUlp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The distribution with {@code -Dib.verify}. */
public class VerifierIT {
  private static final String IPOIB =
      "backend = jvm\nmode = connected\naddresses = ib0 10.96.0.1/24, ib1 10.96.0.2/24\n";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void issue15TheDistributionRunsWovenWithoutAReport() throws Exception {
    String commands =
        "ibv_rc_pingpong -n 200 -d soft0 soft1; ib:doctor; ib:verifier; ib:violations -v";
    Map<String, String> strict = Map.of("IB_OPTS", "-Dib.verify=strict " + Distro.PATIENT);
    Program run = Program.ib(Distro.HOME, "", strict, "exec", commands);
    assertEquals(run.err(), 0, run.status());
    assertTrue(run.out(), run.out().contains("no violations"));
    String totals =
        "(?s).*[1-9]\\d* classes read in \\d+ ms, [1-9]\\d* of them woven, 0 could not be woven\\R"
            + "of .*ib\\.core, .*ib\\.driver\\.soft, .*ib\\.tools\\R.*";
    assertTrue(run.out(), run.out().matches(totals));
    assertFalse(run.err(), run.err().contains("VerifyError"));
  }

  @Test
  public void issue15BothDriversAndIpoibComeAndGoWovenWithoutAReport() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    folder.configure("ib.driver.rxe-rxe0.cfg", "name = rxe0\naddress = 127.0.0.1\n");
    folder.configure("ib.ulp.ipoib.cfg", IPOIB);
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      shell.runUntil("ib:clients", says -> says.matches("(?s).* ipoib +ib.cm +soft0 +LIVE .*"));
      shell.runUntil("ibv_devices", says -> says.contains("rxe0"));
      shell.runUntil("ib:netif ping ib0 10.96.0.2", says -> says.contains("3 received"));
      shell.run("rping -s -C 3 -a 127.0.0.1 &");
      shell.runUntil(
          "rping -c -C 3 -v -a 127.0.0.1", says -> says.contains("ping data: rdma-ping-2"));
      shell.run("ib:unplug soft0");
      shell.run("ib:unplug rxe0");
      shell.run("ib:plug soft0");
      shell.runUntil("ib:clients", says -> says.matches("(?s).* ipoib +ib.cm +soft0 +LIVE .*"));
      String says = shell.run("ib:verifier");
      assertTrue(says, says.contains(" 0 could not be woven"));
      says = shell.run("ib:violations -v");
      assertTrue(says, says.contains("no violations"));
    }
  }

  @Test
  public void issue15WithoutThePropertyTheVerifierIsNotInstalled() throws Exception {
    Program run = Program.ib(Distro.HOME, "", "exec", "lb -s ib.verifier");
    assertTrue(run.out(), run.out().contains("No matching bundles found"));
  }

  @Test
  public void issue15AnUnknownValueIsRefused() throws Exception {
    Map<String, String> wrong = Map.of("IB_OPTS", "-Dib.verify=yes");
    Program run = Program.ib(Distro.HOME, "", wrong, "exec", "lb -s");
    assertEquals(1, run.status());
    assertEquals("ib: -Dib.verify=yes: true, strict or false is possible\n", run.err());
  }

  @Test
  public void issue15AProtocolThatSleepsAndLeaksIsNamedByItsBundleWithItsLine() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home(), Distro.WOVEN)) {
      shell.runUntil("ib:violations", says -> says.contains("no violations"));
      folder.deploy(sleepy(temporary.getRoot().toPath()));
      String says = shell.runUntil("ib:violations -v", text -> listed(text) > 0);
      String what = "java.lang.Thread.sleep may block and was called from a callback that must not";
      assertTrue(says, says.contains("S26 sleepy.ulp: " + what));
      assertTrue(says, says.contains("  instead: hand the work to a timer"));
      assertTrue(says, says.contains("    at ib.itests.verify.SleepyUlp.complete(SleepyUlp.java:"));
      assertEquals(says, 1, listed(says));

      shell.run("ib:unplug soft0"); // the midlayer finds this one, and has the client's name
      says = shell.run("ib:violations -v");
      String leak =
          "(?s).*S32 sleepy\\.ulp: left PD \\d+ of soft0 behind, [^\\n]* \\(sleepy\\)\\R.*";
      assertTrue(says, says.matches(leak));
    }
  }

  /**
   * {@return how often the list has it} The line of the log, which may come between, also after an
   * empty list, says "broken clause: S26 sleepy.ulp".
   */
  private static long listed(String says) {
    return says.lines().filter(l -> l.startsWith("S26 sleepy.ulp: ")).count();
  }

  /** {@return the jar of a bundle that sleeps in a callback, made in a folder} */
  static Path sleepy(Path in) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "sleepy.ulp");
    main.putValue("Bundle-Activator", SleepyUlp.class.getName());
    main.putValue("Import-Package", "org.osgi.framework,ib.core.client,ib.core.verbs");
    Path jar = in.resolve("sleepy.ulp.jar");
    String entry = SleepyUlp.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream code = VerifierIT.class.getResourceAsStream("/" + entry)) {
      if (code == null) {
        throw new IllegalStateException("no " + entry);
      }
      out.putNextEntry(new ZipEntry(entry));
      code.transferTo(out);
      out.closeEntry();
    }
    return jar;
  }
}
