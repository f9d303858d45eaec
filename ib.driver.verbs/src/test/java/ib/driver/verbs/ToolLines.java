package ib.driver.verbs;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.tools.getopt.CommandException;
import ib.tools.perftest.Midlayer;
import ib.tools.perftest.Perftest;
import ib.tools.perftest.Tool;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.rdmacm.Rping;
import ib.tools.run.WarmUp;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One end of several programs, one after the other, on a device of any driver: the other end runs
 * the same lines on another host. A client waits until its server is there.
 */
public final class ToolLines {
  private static final int TRIES = 600;

  private final IbCore core;
  private final CmClient manager;
  private final String gidIndex;

  private ToolLines(IbCore core, CmClient manager, String gidIndex) {
    this.core = core;
    this.manager = manager;
    this.gidIndex = gidIndex;
  }

  /**
   * Runs the lines; the process ends with status 1 when one fails.
   *
   * @param args driver, device, a key and a value of its configuration, and lines: a program,
   *     {@code serve} or an address, options; {@code %g} stands for the index of the first IPv4
   *     address
   * @throws InterruptedException when it is interrupted
   */
  public static void main(String[] args) throws InterruptedException {
    String device = args[1];
    CmClient manager = CmClient.create();
    try (StandaloneFabric fabric =
        StandaloneFabric.options(args[0]).device(device, Map.of(args[2], args[3])).open()) {
      ClientRegistration registration = fabric.core().registerClient(manager);
      int index;
      try (DeviceLease lease = fabric.core().lease(device, "lines")) {
        index = VerbsBench.ipv4(lease.device());
      }
      ToolLines lines = new ToolLines(fabric.core(), manager, String.valueOf(index));
      for (String line : Arrays.asList(args).subList(4, args.length)) {
        System.out.println(
            line + ": " + lines.run(line.replace("%g", lines.gidIndex).replace("%d", device)));
      }
      registration.unregister();
    }
    System.out.println("all lines were run");
  }

  private String run(String line) throws InterruptedException {
    List<String> words = List.of(line.split(" "));
    boolean serves = words.get(1).equals("serve");
    for (int i = 0; ; i++) {
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
      try {
        Object end = run(words, serves, out);
        String text = printed.toString(StandardCharsets.UTF_8) + end;
        return text.lines().reduce("", (a, b) -> b.isBlank() ? a : b);
      } catch (CommandException e) {
        if (serves || i == TRIES || !isTooEarly(e.getMessage())) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(200); // the server's start is seen from outside only
      }
    }
  }

  private static boolean isTooEarly(String message) {
    return message.contains("ouldn't connect")
        || message.contains("refused")
        || message.contains("error 8")
        || message.contains("nothing listens");
  }

  private Object run(List<String> words, boolean serves, PrintStream out) {
    String program = words.getFirst();
    WarmUp cold = new WarmUp(List.of(), List.of());
    StringBuilder rest = new StringBuilder(String.join(" ", words.subList(2, words.size())));
    if (program.equals("rping")) {
      String role = serves ? "-s -a " + words.get(1 + 1) : "-c -a " + words.get(1);
      List<String> options = words.subList(serves ? 3 : 2, words.size());
      String[] all = (role + " " + String.join(" ", options)).strip().split(" ");
      Rping.run(core, manager, out, out, all);
      return "";
    }
    if (!serves) {
      rest.append(' ').append(words.get(1));
    }
    String[] options = ("--no-warmup " + rest).split(" ");
    return switch (program) {
      case "rc", "uc", "ud", "srq" ->
          PingPong.run(
                  core,
                  cold,
                  Kind.valueOf(program.toUpperCase(java.util.Locale.ROOT)),
                  out,
                  out,
                  options)
              .text();
      default ->
          Perftest.run(new Midlayer(core, null), cold, Tool.valueOf(program), out, out, options)
              .text();
    };
  }
}
