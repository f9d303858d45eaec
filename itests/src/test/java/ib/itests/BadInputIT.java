package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;
import static org.junit.Assume.assumeTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a user sees of a mistake, in the distribution as it is built. */
public class BadInputIT {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void issue2Section5ABadConfigurationIsOneErrorAndTheLastGoodOneGoesOn() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      folder.configure("ib.driver.soft-range.cfg", "mtu = 17\n");
      shell.awaitText("key mtu is '17'");
      folder.configure("ib.driver.soft-type.cfg", "ports = many\n");
      shell.awaitText("key ports is 'many'");
      folder.configure("ib.driver.soft-key.cfg", "prots = 1\n");
      shell.awaitText("key 'prots' is unknown");
      folder.configure("ib.driver.soft-name.cfg", "name = soft0\n");
      shell.awaitText("key name is 'soft0', in use by ib.driver.soft");
      folder.configure("ib.driver.soft-guid.cfg", "guid = 02c90300000a0010\n");
      shell.awaitText("key guid is '02c90300000a0010', in use by ib.driver.soft");
      shell.awaitText("; the device stays absent");
      folder.configure("ib.driver.soft-soft1.cfg", "name = soft1\nlink = sideways\n");
      shell.awaitText("key link is 'sideways'");
      shell.awaitText("; soft1 goes on with its last good configuration");
      folder.configure("ib.core.cfg", "callback_report_ms = soon\n");
      shell.awaitText("key callback_report_ms is 'soon'");
      String devices = shell.run("ibv_devices");
      assertEquals(devices, 2, devices.lines().filter(l -> l.contains("02c90300000a00")).count());
      assertTrue(shell.run("ibv_devinfo -d soft1").contains("PORT_ACTIVE"));
    }
  }

  @Test
  public void issue2Section5AWrongCommandPrintsItsUsageOrWhatIsThere() throws Exception {
    Map<String, String> answers = new LinkedHashMap<>();
    answers.put("ibv_devices extra", "Usage: ibv_devices");
    answers.put("ibv_devinfo -q", "invalid option -- 'q'\nUsage: ibv_devinfo");
    answers.put("ibv_devinfo -d nosuch", "IB device 'nosuch' wasn't found");
    answers.put("ibv_asyncwatch -Z", "invalid option -- 'Z'\nUsage:\n  ibv_asyncwatch");
    answers.put("ibv_rc_pingpong -Z", "invalid option -- 'Z'\nUsage:\n  ibv_rc_pingpong");
    answers.put("ibv_uc_pingpong -Z", "invalid option -- 'Z'\nUsage:\n  ibv_uc_pingpong");
    answers.put("ibv_ud_pingpong -Z", "invalid option -- 'Z'\nUsage:\n  ibv_ud_pingpong");
    answers.put("ibv_rc_pingpong -d nosuch soft1", "IB device nosuch not found");
    answers.put("rdma nosuch", "Unknown object 'nosuch'.");
    answers.put("rdma link show nosuch/1", "Wrong device name");
    answers.put("perfquery -Q", "invalid option -- 'Q'\n\nUsage: perfquery");
    answers.put("ib:plug nosuch", "ib:plug: no slot nosuch; there are soft0, soft1");
    answers.put("ib:unplug", "Usage: ib:unplug [-j] DEV");
    answers.put("ib:clients -q", "invalid option -- 'q'\nUsage: ib:clients");
    answers.put("ib:events nosuch", "ib:events: no device nosuch");
    answers.put("ib:objects nosuch", "ib:objects: no device nosuch");
    answers.put("ib:fault add soft0 nonsense", "ib:fault: 'nonsense' is not loss");
    answers.put("ib:why xyz", "ib:why: xyz is not a queue pair number\nUsage: ib:why");
    answers.put("ib:capture start nosuch x", "nosuch offers no capture; there are soft0, soft1");
    try (Shell shell = new Shell(Distro.HOME)) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      for (Map.Entry<String, String> e : answers.entrySet()) {
        String says = shell.run(e.getKey()).replace("\r", "");
        assertTrue(e.getKey() + " says\n" + says, says.contains(e.getValue()));
      }
    }
  }

  @Test
  public void issue2Section5AWrongCommandEndsWithAStatus() throws Exception {
    for (String command : new String[] {"ibv_devinfo -q", "rdma nosuch", "ib:unplug nosuch"}) {
      Program run = Program.ib(Distro.HOME, "", "exec", command);
      assertEquals(command + run.err(), 1, run.status());
      assertEquals("", run.out());
    }
    assertEquals(255, Program.ib(Distro.HOME, "", "exec", "ibv_devinfo -d nosuch").status());
  }

  @Test
  public void findingB17AConfigurationFileWithABadEscapeIsOneSentence() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      folder.configure("ib.driver.soft-bad.cfg", "name = \\uZZZZ\n");
      shell.awaitText("ib.driver.soft-bad.cfg: Unable to parse unicode value: ZZZZ");
      String all = shell.run("echo all");
      assertFalse(shell.said(), shell.said().contains("\tat "));
      assertTrue(all, all.contains("all"));
    }
    Map<String, String> soon = Map.of("IB_OPTS", "-Dib.exec.wait.s=1");
    Program run = Program.ib(folder.home(), "", soon, "exec", "echo never");
    assertEquals(1, run.status());
    String missing = "ib: device bad of conf/ib.driver.soft-bad.cfg is not there";
    assertTrue(run.err(), run.err().contains(missing));
  }

  @Test
  public void findingB17AFullDiskSaysSoAndWhatToDo() throws Exception {
    assumeTrue("needs root, to mount", "root".equals(System.getProperty("user.name")));
    Path full = temporary.newFolder("full").toPath();
    String mount = "mount -t tmpfs -o size=1m none " + full + " && exec sh \"$@\"";
    Path ib = Distro.HOME.resolve("bin/ib");
    Program run =
        Program.run(
            List.of("unshare", "-m", "sh", "-c", mount, "sh", ib.toString(), "exec", "echo never"),
            "",
            Map.of("IB_OPTS", "-Djava.io.tmpdir=" + full));
    assumeFalse("may not mount: " + run.err(), run.err().startsWith("mount:"));
    assertEquals(1, run.status());
    assertTrue(run.err(), run.err().startsWith("ib: Unable to cache bundle: "));
    assertTrue(run.err(), run.err().contains(full + " is full: make room there"));
    assertFalse(run.err(), run.err().contains("\tat "));
  }
}
