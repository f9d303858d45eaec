package ib.itests;

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
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("lb -s hot.bundle", says -> says.contains("No matching bundles found"));
      folder.deploy("hot.bundle", "1.0.0", Map.of());
      shell.runUntil(
          "lb -s hot.bundle", says -> says.contains("|Active") && says.contains("|1.0.0"));
      folder.deploy("hot.bundle", "2.0.0", Map.of());
      shell.runUntil(
          "lb -s hot.bundle", says -> says.contains("|Active") && says.contains("|2.0.0"));
      folder.undeploy("hot.bundle");
      shell.runUntil("lb -s hot.bundle", says -> says.contains("No matching bundles found"));
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

  /** Whether a line of ibv_devices names the device beside a GUID. */
  private static boolean listed(String says, String device) {
    return Pattern.compile("\\b" + device + "\\s+[0-9a-f]{16}").matcher(says).find();
  }
}
