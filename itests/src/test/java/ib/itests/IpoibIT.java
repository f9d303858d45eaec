package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** IP over InfiniBand in a running distribution, as an operator has it. */
public class IpoibIT {
  private static final String CONFIGURATION = "ib.ulp.ipoib.cfg";
  private static final String ADDRESSES =
      "addresses = ib0 10.96.0.1/24, ib1 10.96.0.2/24, ib0 fd00::1/64, ib1 fd00::2/64\n";
  private static final String PING = "ib:netif ping ib0 10.96.0.2 10";
  private static final int MAX_ROUNDS = 200;
  private static final String PATIENT = PING + " 56 50"; // late is not lost

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void issue5Section3InterfacesComeChangeAndGoWithConfigurationDevicesAndBundle()
      throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      shell.runUntil("ib:netif", says -> says.contains("ib.ulp.ipoib is not configured"));
      shell.runUntil(
          "ib:clients", says -> says.split(" LIVE ", -1).length == 9); // mad, sa, ib.cm, health
      assertTrue(shell.run("ib:netif help").contains("usage: ib:netif"));
      String before = resources(shell);
      assertTrue(before, before.contains("soft0") && before.contains(" qp "));

      folder.configure(CONFIGURATION, "backend = jvm\n" + ADDRESSES);
      shell.runUntil("ib:netif", says -> up(says, "ib0", 2044) && up(says, "ib1", 2044));
      shell.runUntil(PING, says -> says.contains("10 packets transmitted, 10 received"));
      shell.runUntil("ib:netif ping ib0 fd00::2 1", says -> says.contains("1 received"));

      folder.configure(CONFIGURATION, "mtu = 1500\nchildren = 0xa, 0x800a\n" + ADDRESSES);
      shell.runUntil("ib:netif", says -> up(says, "ib0", 1500) && up(says, "ib1", 1500));
      String child = shell.run("ib:netif show ib0.000a");
      assertTrue(child, child.contains("ib0.800a: <") && child.contains("P_Key 0x800a missing"));

      hotPlug(folder, shell);
      update(folder, shell);

      Files.delete(jar(folder));
      shell.runUntil("lb -s ib.ulp.ipoib", says -> says.contains("No matching bundles found"));
      assertEquals("nothing is left", before, resources(shell));
    }
  }

  /** A device comes and goes while others ping each other: none of their packets is lost. */
  private static void hotPlug(Folder folder, Shell shell) throws Exception {
    shell.runUntil(PING, says -> says.contains(" 10 received"));
    folder.configure("ib.driver.soft-hot9.cfg", "name = hot9\n");
    pingUntil(shell, says -> up(says, "ib2", 1500));
    folder.deconfigure("ib.driver.soft-hot9.cfg");
    pingUntil(shell, says -> up(says, "ib1", 1500) && !says.contains("hot9"));
  }

  /** Pings until the interfaces are as wanted; none may be lost. */
  private static void pingUntil(Shell shell, Predicate<String> wanted) throws IOException {
    String says = "";
    for (int i = 0; i < MAX_ROUNDS && !wanted.test(says); i++) {
      String pings = shell.run(PATIENT);
      assertTrue("a ping is lost:\n" + pings, pings.contains(" 10 received"));
      says = shell.run("ib:netif");
    }
    assertTrue(says, wanted.test(says));
  }

  /** Another file of the same bundle: the interfaces are made anew, with other queue pairs. */
  private static void update(Folder folder, Shell shell) throws Exception {
    String old = address(shell.run("ib:netif show ib0"));
    Files.setLastModifiedTime(jar(folder), FileTime.from(Instant.now().plusSeconds(5)));
    shell.runUntil("ib:netif show ib0", says -> !address(says).equals(old));
    shell.runUntil("ib:netif", says -> up(says, "ib0", 1500) && up(says, "ib1", 1500));
    shell.runUntil(PING, says -> says.contains(" 10 received"));
  }

  private static Path jar(Folder folder) {
    return folder.home().resolve("deploy/ib.ulp.ipoib.jar");
  }

  private static boolean up(String list, String name, int mtu) {
    return Pattern.compile("(?m)^" + name + " +\\w+/1 +UP +" + mtu + " ").matcher(list).find();
  }

  /** The link address that an interface shows; that of before when it shows none. */
  private static String address(String show) {
    Matcher found = Pattern.compile("link/infiniband ([0-9a-f:]{59})").matcher(show);
    return found.find() ? found.group(1) : "";
  }

  /** What the devices have of each kind; a prompt may stand before any line. */
  private static String resources(Shell shell) throws Exception {
    return shell
        .run("rdma resource")
        .lines()
        .map(line -> line.replace("g! ", "").strip())
        .filter(line -> line.contains("soft"))
        .sorted()
        .toList()
        .toString();
  }
}
