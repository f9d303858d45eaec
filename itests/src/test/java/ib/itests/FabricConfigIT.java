package ib.itests;

import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The keys of {@code ib.driver.soft.fabric}, in the distribution as it is built. */
public class FabricConfigIT {
  private static final Path PRELOAD = Path.of("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so");
  private static final String CONFIGURATION = "ib.driver.soft.fabric.cfg";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** soft0 - left - right - soft1, in ibnetdiscover's format. */
  private static final String NET =
      """
      Switch 4 "S-0000000000000a01" # "left" enhanced port 0 lid 0 lmc 0
      [1] "H-02c90300000a0010"[1] # "soft0" lid 0 4xEDR
      [4] "S-0000000000000b01"[4] # "right" lid 0 4xEDR

      Switch 4 "S-0000000000000b01" # "right" enhanced port 0 lid 0 lmc 0
      [1] "H-02c90300000a0020"[1] # "soft1" lid 0 4xEDR
      [4] "S-0000000000000a01"[4] # "left" lid 0 4xEDR

      Ca 1 "H-02c90300000a0010" # "soft0"
      [1] "S-0000000000000a01"[1] # lid 0 lmc 0 "left" lid 0 4xEDR

      Ca 1 "H-02c90300000a0020" # "soft1"
      [1] "S-0000000000000b01"[1] # lid 0 lmc 0 "right" lid 0 4xEDR
      """;

  @Test
  public void issue5Section2TopologyAndDoorByConfiguration() throws Exception {
    Folder folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    Path net = Files.writeString(temporary.getRoot().toPath().resolve("two.net"), NET);
    int port;
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = Math.min(free.getLocalPort(), 65_000);
    }
    try (Shell shell = new Shell(folder.home())) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      folder.configure(CONFIGURATION, "topology = " + net + "x\n");
      shell.awaitText("topology " + net + "x"); // B5: no device is on another net meanwhile
      shell.runUntil("ibv_devices", says -> !says.contains("soft0") && !says.contains("soft1"));
      folder.configure(CONFIGURATION, "ibsim.port = 70000\n");
      shell.awaitText("key ibsim.port is '70000'");
      shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
      assertTrue(shell.run("ibswitches").contains("ib-sw0"));
      folder.configure(CONFIGURATION, "topology = " + net + "\nibsim.port = " + port + "\n");
      String switches = ""; // who is plugged stays where it is: the new place is taken at a plug
      for (int i = 0; i < 100 && !switches.contains("\"right\""); i++) {
        for (String device : new String[] {"soft0", "soft1"}) {
          shell.run("ib:unplug " + device);
          shell.run("ib:plug " + device);
        }
        shell.runUntil("ibv_devices", says -> says.contains("soft0") && says.contains("soft1"));
        switches = shell.run("ibswitches");
      }
      assertTrue(switches, switches.contains("\"left\"") && switches.contains("\"right\""));
      String seen = shell.run("ibnetdiscover");
      assertTrue(seen, seen.contains("# \"left\"") && seen.contains("# \"soft1\""));
      assumeTrue("no " + PRELOAD + " (package libumad2sim0)", Files.exists(PRELOAD));
      String outside = diagnosis(port, "ibnetdiscover");
      assertTrue(outside, outside.contains("# \"right\"") && outside.contains("# \"soft1\""));
    }
  }

  /** What infiniband-diags see through the door. */
  private String diagnosis(int port, String command) throws IOException, InterruptedException {
    Path out = temporary.newFile("diags.txt").toPath();
    ProcessBuilder b = new ProcessBuilder("/usr/sbin/" + command);
    b.directory(temporary.newFolder("diags"));
    b.environment().put("LD_PRELOAD", PRELOAD.toString());
    b.environment().put("SIM_HOST", "soft0");
    b.environment().put("IBSIM_SERVER_NAME", "127.0.0.1");
    b.environment().put("IBSIM_SERVER_PORT", String.valueOf(port));
    Process p = b.redirectErrorStream(true).redirectOutput(out.toFile()).start();
    if (!p.waitFor(Await.HANG_S, TimeUnit.SECONDS)) {
      p.destroyForcibly().waitFor();
      throw new AssertionError(command + " has not ended: " + Files.readString(out));
    }
    return Files.readString(out);
  }
}
