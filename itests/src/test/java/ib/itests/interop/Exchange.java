package ib.itests.interop;

import ib.itests.Program;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One run of a scenario of itests/peer/scenario.py.
 *
 * @param requester what the client printed
 * @param responder what the server printed
 */
record Exchange(String requester, String responder) {
  private static final int PORT = 18516;

  static Exchange linuxRequests(String name, boolean ipv6) throws Exception {
    String line = command("srv", name, ipv6);
    CompletableFuture<String> here =
        CompletableFuture.supplyAsync(() -> Lane.LANE.run(line), LinuxPeer.BESIDE);
    Lane.LANE.peer.awaitListenerHere(PORT);
    Program there = Lane.LANE.peer.exec(script("cli", name, ipv6));
    return new Exchange(there.out(), here.get(Lane.END_S, TimeUnit.SECONDS));
  }

  static Exchange weRequest(String name, boolean ipv6) throws Exception {
    String line = script("srv", name, ipv6);
    CompletableFuture<Program> there =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(line), LinuxPeer.BESIDE);
    Lane.LANE.peer.awaitListener(PORT);
    String here = Lane.LANE.run(command("cli", name, ipv6));
    return new Exchange(here, there.get(Lane.END_S, TimeUnit.SECONDS).out());
  }

  private static String script(String role, String name, boolean ipv6) {
    int index = Lane.gidIndexThere(ipv6);
    return "python3 /scenario.py " + role + " " + LinuxPeer.HERE + " " + name + " " + index;
  }

  private static String command(String role, String name, boolean ipv6) {
    int index = Lane.LANE.gidIndex(ipv6);
    return "scenario " + role + " " + LinuxPeer.ADDRESS + " " + name + " " + index;
  }

  /** {@return the completions, with commas between them} */
  static String completions(String printed) {
    return printed
        .lines()
        .map(line -> line.replaceAll("^.*?(wc |missing )", "$1"))
        .filter(line -> line.startsWith("wc ") || line.startsWith("missing "))
        .map(line -> line.replace("wc ", ""))
        .collect(Collectors.joining(","));
  }

  /** {@return what memory held} */
  static List<String> data(String printed) {
    return after("data ", printed);
  }

  /** {@return the state of the queue pair at the end} */
  static List<String> state(String printed) {
    return after("state ", printed);
  }

  private static List<String> after(String word, String printed) {
    return printed
        .lines()
        .filter(line -> line.contains(word))
        .map(line -> line.replaceAll("^.*" + word, ""))
        .toList();
  }

  @Override
  public String toString() {
    return "requester:\n" + requester + "\nresponder:\n" + responder;
  }
}
