package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaDestination;
import ib.core.client.IbCore;
import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.tools.getopt.CommandException;
import java.io.PrintStream;
import java.util.Objects;

/**
 * {@code mckey}: joins a multicast group by address, and sends messages to it or receives them,
 * here or with librdmacm's program at the other end.
 */
public final class Mckey {
  private static final Program PROGRAM = new Program("mckey");
  private static final int PAUSE_S = 3; // the original's, for the switches

  private Mckey() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the steps are printed here
   * @param args the original's options, without {@code -p 2}, {@code -M}, {@code -o} and {@code -l}
   * @throws CommandException when an option is wrong, the group cannot be joined, the device goes
   *     or the thread is interrupted
   */
  public static void run(IbCore core, CmClient manager, PrintStream out, String... args) {
    MessageOptions options = MessageOptions.ofGroup(PROGRAM, args);
    PROGRAM.run(core, manager, cm -> play(options, new Connections(PROGRAM, options, cm), out));
  }

  private static void play(MessageOptions options, Connections all, PrintStream out) {
    out.println("mckey: starting " + (options.server() ? "server" : "client"));
    out.println("mckey: joining");
    for (RdmaDestination group : all.join()) {
      AhAttr way = group.way();
      GlobalRoute route = Objects.requireNonNull(way.grh(), "the way to a group has a route");
      String text = "mckey: joined dgid: %s mlid 0x%x sl %d%n";
      out.printf(text, route.dgid(), way.dlid(), way.sl());
    }
    if (options.count() > 0) {
      exchange(options, all, out);
    }
    out.println("test complete");
    out.println("return status 0");
  }

  private static void exchange(MessageOptions options, Connections all, PrintStream out) {
    if (options.server()) {
      out.println("receiving data transfers");
      all.awaitReceived();
    } else {
      PROGRAM.pause(PAUSE_S);
      out.println("initiating data transfers");
      all.send();
      all.awaitSent();
    }
    out.println("data transfers complete");
  }
}
