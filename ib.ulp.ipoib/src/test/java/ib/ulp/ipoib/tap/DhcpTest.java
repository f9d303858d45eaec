package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("W12: DHCP over TAP, with a server and a client that know Ethernet only")
@Timeout(600)
class DhcpTest {
  private static final long PID = ProcessHandle.current().pid();
  private static final String SERVER = "ib0d" + PID;
  private static final String CLIENT = "ib1d" + PID;

  @TempDir private Path folder;

  @Test
  @DisplayName("section 7, a plain server: an address is leased, renewed, used and released")
  void exchange() throws IOException {
    Namespaces.require("ip", "ping", "busybox");
    Namespaces namespaces = new Namespaces();
    LinkConfig config = new LinkConfig(0, 512, 2048, 0);
    try (namespaces;
        Lab lab = new Lab(2, config, name -> TapBackend.open(name + "d" + PID))) {
      String left = namespaces.add();
      String right = namespaces.add();
      namespaces.move(SERVER, left, "10.98.0.1/24");
      namespaces.move(CLIENT, right);
      lab.up("ib0");
      lab.up("ib1");
      Path leases = folder.resolve("leases");
      Process server =
          namespaces.startIn(left, "busybox", "udhcpd", "-f", serverFile(leases).toString());
      String given;
      try {
        lease(namespaces, left, right);
      } finally {
        given = end(server);
      }
      assertTrue(given.contains("sending OFFER") && given.contains("sending ACK"), given);
      String known = Namespaces.run("busybox", "dumpleases", "-a", "-f", leases.toString());
      String mac = MacTable.text(MacTable.mac(lab.device("ib1").state().address()));
      assertTrue(known.contains(mac), "the server knows " + mac + ": " + known);
    }
  }

  /** The client's part. */
  private void lease(Namespaces namespaces, String left, String right) throws IOException {
    Process client =
        namespaces.startIn(
            right,
            "busybox",
            "udhcpc",
            "-f",
            "-R",
            "-i",
            CLIENT,
            "-t",
            "20",
            "-T",
            "1",
            "-s",
            script().toString());
    String said;
    try {
      Lab.await(() -> told().contains("bound 10.98.0.100 255.255.255.0"), "an address");
      // until three came back: late is not lost
      namespaces.in(left, "ping", "-n", "-c", "3", "-i", "0.05", "-w", "50", "10.98.0.100");
      Namespaces.run("kill", "-USR1", String.valueOf(client.pid()));
      Lab.await(() -> told().contains("renew 10.98.0.100"), "the lease is renewed, by unicast");
    } finally {
      said = end(client);
    }
    assertTrue(said.contains("sending renew to server"), said);
    assertFalse(said.contains("broadcasting renew"), "the unicast request is answered: " + said);
  }

  private Path serverFile(Path leases) throws IOException {
    Files.writeString(leases, "");
    return Files.writeString(
        folder.resolve("udhcpd.conf"),
        """
        start 10.98.0.100
        end 10.98.0.100
        interface %s
        lease_file %s
        pidfile %s
        auto_time 1
        opt subnet 255.255.255.0
        opt lease 600
        """
            .formatted(SERVER, leases, folder.resolve("pid")));
  }

  private Path script() throws IOException {
    Path script =
        Files.writeString(
            folder.resolve("script"),
            """
            #!/bin/sh
            case $1 in
            bound) ip addr add "$ip/24" dev "$interface" ;;
            deconfig) ip addr flush dev "$interface"; ip link set "$interface" up ;;
            esac
            echo "$1 $ip $subnet" >>"%s"
            """
                .formatted(folder.resolve("told")));
    assertTrue(script.toFile().setExecutable(true));
    return script;
  }

  private String told() {
    Path file = folder.resolve("told");
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Ends a program by its id; what it has printed. */
  private static String end(Process process) {
    Namespaces.run("kill", String.valueOf(process.pid()));
    return Namespaces.output(process);
  }
}
