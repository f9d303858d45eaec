package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Files put into the folders of a running distribution. */
public class HotDeployIT {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void issue2Section1ABundleInDeployStartsIsUpdatedAndStops() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("an ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("lb -s hot.bundle", says -> says.contains("No matching bundles found"));
      folder.deploy("hot.bundle", "1.0.0", Map.of());
      shell.runUntil(
          "lb -s hot.bundle", says -> says.contains("|Active") && says.contains("|1.0.0"));
      shell.awaitText("hot.bundle runs, version 1.0.0");
      assertFalse(shell.said(), shell.said().contains("ib.driver.soft runs")); // no news
      folder.deploy("hot.bundle", "2.0.0", Map.of());
      shell.runUntil(
          "lb -s hot.bundle", says -> says.contains("|Active") && says.contains("|2.0.0"));
      shell.awaitText("hot.bundle is updated to 2.0.0");
      folder.undeploy("hot.bundle");
      shell.runUntil("lb -s hot.bundle", says -> says.contains("No matching bundles found"));
      shell.awaitText("hot.bundle is removed, it was version 2.0.0");
    }
  }

  @Test
  public void issue2Section1AFileInConfCreatesChangesAndRemovesADevice() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> listed(says, "soft0") && listed(says, "soft1"));
      folder.configure("ib.driver.soft-hot9.cfg", "name = hot9\n");
      shell.runUntil("ibv_devices", says -> listed(says, "hot9"));
      shell.runUntil("ibv_devinfo -d hot9", says -> says.contains("PORT_ACTIVE"));
      folder.configure("ib.driver.soft-hot9.cfg", "name = hot9\nlink = down\n");
      shell.runUntil("ibv_devinfo -d hot9", says -> says.contains("PORT_DOWN"));
      folder.deconfigure("ib.driver.soft-hot9.cfg");
      shell.runUntil("ibv_devices", says -> !listed(says, "hot9"));
    }
  }

  @Test
  public void findingU13AFileThatIsNoBundleAndAMisspeltPidAreNamed() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.run("ibv_devices"); // else the shell waits for soft9
      folder.configure("ib.driver.sotf-soft9.cfg", "name = soft9\n");
      folder.configure("ib.croe.cfg", "mode = connected\n");
      Path broken = Files.writeString(folder.home().resolve("broken.jar"), "no archive");
      folder.deploy(broken);
      String none = ": no bundle takes the configuration ";
      shell.awaitText(
          "ib.driver.sotf-soft9.cfg" + none + "ib.driver.sotf; did you mean ib.driver.soft?");
      shell.awaitText("ib.croe.cfg" + none + "ib.croe; did you mean ib.core?");
      shell.awaitText("broken.jar has not become a bundle: zip END header not found");
      String says = shell.run("ib:doctor"); // A10
      for (String wrong :
          List.of("conf/ib.croe.cfg" + none, "conf/ib.driver.sotf-soft9.cfg" + none)) {
        assertTrue(says, Pattern.compile("FAIL +" + Pattern.quote(wrong)).matcher(says).find());
      }
      assertTrue(says, says.contains("deploy/broken.jar does not run"));
      assertFalse(shell.said(), shell.said().contains("soft0.cfg" + none)); // it is taken
      folder.undeploy("ib.driver.soft"); // the driver is missing
      shell.runUntil("ib:doctor", text -> text.contains("conf/ib.driver.soft-soft0.cfg" + none));
      assertFalse(shell.said(), shell.said().contains("ib.driver.soft.jar has not"));
    }
  }

  @Test
  public void u17TheDoctorIsContentUntilSomethingIsWrong() throws Exception {
    Program well = Program.ib(Distro.HOME, "", "exec", "ib:doctor");
    assertEquals(well.out() + well.err(), 0, well.status());
    assertFalse(well.out(), well.out().contains("WARN"));
    String missing = "a.package.that.is.nowhere";
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> listed(says, "soft0") && listed(says, "soft1"));
      folder.deploy("lonely.bundle", "1.0.0", Map.of("Import-Package", missing));
      String wrong = "FAIL +lonely.bundle misses what it requires +felix:start \\d+";
      shell.runUntil("ib:doctor", says -> Pattern.compile(wrong).matcher(says).find());
      shell.run("ib:unplug soft1");
      String plug = "WARN +soft1 is unplugged +ib:plug soft1";
      String says = shell.run("ib:doctor");
      assertTrue(says, Pattern.compile(plug).matcher(says).find());
      folder.configure("ib.driver.soft-soft0.cfg", "name = soft0\nlink = down\n");
      String down = "FAIL +soft0/1 is PORT_DOWN";
      shell.runUntil("ib:doctor", text -> Pattern.compile(down).matcher(text).find());
    }
  }

  /** Whether a line of ibv_devices names the device beside a GUID. */
  private static boolean listed(String says, String device) {
    return Pattern.compile("\\b" + device + "\\s+[0-9a-f]{16}").matcher(says).find();
  }
}
