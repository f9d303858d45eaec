package ib.driver.rxe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Two network namespaces with an Ethernet cable between them, and nothing else: interface {@code
 * eth0} of each, with 10.77.0.1 and 10.77.0.2. Whatever happens there touches nobody.
 */
final class Namespaces {
  static final String DEVICE = "eth0";
  private static final long PATIENCE_S = 300;

  final String left = "ibt" + ProcessHandle.current().pid() + "a";
  final String right = "ibt" + ProcessHandle.current().pid() + "b";

  /** Makes them, or skips the test and says why. */
  Namespaces(int mtu) throws IOException, InterruptedException {
    String why = run(List.of("ip", "netns", "add", left));
    Assumptions.assumeTrue(why.isEmpty(), "network namespaces need root and iproute2: " + why);
    boolean made = false;
    try {
      ip("netns", "add", right);
      for (String name : List.of(left, right)) {
        // no IPv6, so that the only addresses are those that a test gives; each goes alone
        sysctl(name, "net.ipv6.conf.default.disable_ipv6=1");
        sysctl(name, "net.ipv4.conf.all.promote_secondaries=1");
      }
      ip("-n", left, "link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns", right);
      for (String name : List.of(left, right)) {
        ip("-n", name, "link", "set", DEVICE, "mtu", String.valueOf(mtu));
        ip("-n", name, "link", "set", DEVICE, "up");
      }
      ip("-n", left, "addr", "add", "10.77.0.1/24", "dev", DEVICE);
      ip("-n", right, "addr", "add", "10.77.0.2/24", "dev", DEVICE);
      made = true;
    } finally {
      if (!made) {
        remove();
      }
    }
  }

  /** Gives them IPv6 addresses too, with the lengths of their prefixes. */
  void ipv6(String ofLeft, String ofRight) throws IOException, InterruptedException {
    for (String name : List.of(left, right)) {
      sysctl(name, "net.ipv6.conf." + DEVICE + ".disable_ipv6=0");
      String address = name.equals(left) ? ofLeft : ofRight;
      ip("-n", name, "addr", "add", address, "dev", DEVICE, "nodad");
    }
  }

  /** The command that starts something in one of them. */
  static List<String> in(String name) {
    return List.of("ip", "netns", "exec", name);
  }

  /** Changes something with iproute2, which must work. */
  static void ip(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(words));
    must(command.toArray(String[]::new));
  }

  /** Sets a variable of the kernel in one of them. */
  static void sysctl(String name, String setting) throws IOException, InterruptedException {
    must("ip", "netns", "exec", name, "sysctl", "-qw", setting);
  }

  private static void must(String... command) throws IOException, InterruptedException {
    String why = run(List.of(command));
    if (!why.isEmpty()) {
      throw new AssertionError(String.join(" ", command) + ": " + why);
    }
  }

  /** Runs a command; returns nothing, or what was wrong. */
  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return e.toString(); // no such program
    }
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean ended = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
    return ended && process.exitValue() == 0 ? "" : printed + " (status " + process + ")";
  }

  /** Nothing is left of them. */
  void remove() throws IOException, InterruptedException {
    run(List.of("ip", "netns", "del", left));
    run(List.of("ip", "netns", "del", right));
  }
}
