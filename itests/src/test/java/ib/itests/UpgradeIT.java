package ib.itests;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The upgrade of a driver under traffic and the way back, as docs/service.md describes them. */
public class UpgradeIT {
  private static final String DRIVER = "ib.driver.soft";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void u17ADriverIsUpgradedUnderTrafficAndTakenBack() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    Path before = folder.home().resolve("deploy").resolve(DRIVER + ".jar");
    Path kept = Files.copy(before, temporary.getRoot().toPath().resolve("kept.jar"));
    Path newer = version(kept, "0.1.77", temporary.getRoot().toPath().resolve(DRIVER + ".jar"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      shell.run("ibv_rc_pingpong -d soft0 -n 100000000 soft1 &");
      shell.runUntil("rdma res show qp", says -> says.contains("comm [ibv_rc_pingpong"));
      folder.deploy(newer);
      shell.awaitText(DRIVER + " is updated to 0.1.77");
      shell.awaitText("was removed during the run");
      assertWell(shell);
      Files.move(kept, newer, StandardCopyOption.REPLACE_EXISTING);
      folder.deploy(newer);
      shell.awaitText(DRIVER + " is updated to 0.1.0.");
      assertWell(shell);
    }
  }

  private static void assertWell(Shell shell) throws Exception {
    shell.runUntil("rdma link", says -> says.split("state ACTIVE", -1).length == 3);
    shell.runUntil("ib:doctor", says -> !says.contains("FAIL") && !says.contains("WARN"));
    String pingpong = shell.run("ibv_rc_pingpong -d soft0 -n 100 soft1");
    assertTrue(pingpong, pingpong.contains("100 iters in"));
    String objects = shell.run("rdma res");
    assertFalse(objects, objects.matches("(?s).* mr [2-9].*"));
  }

  /** Copies a bundle, with another version in its manifest. */
  private static Path version(Path bundle, String version, Path to) throws IOException {
    try (JarFile jar = new JarFile(bundle.toFile())) {
      Manifest manifest = jar.getManifest();
      manifest.getMainAttributes().putValue("Bundle-Version", version);
      try (OutputStream file = Files.newOutputStream(to);
          JarOutputStream out = new JarOutputStream(file, manifest)) {
        for (JarEntry entry : jar.stream().toList()) {
          if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
            out.putNextEntry(new JarEntry(entry.getName()));
            jar.getInputStream(entry).transferTo(out);
          }
        }
      }
    }
    return to;
  }
}
