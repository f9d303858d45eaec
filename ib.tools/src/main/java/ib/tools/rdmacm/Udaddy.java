package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import java.io.PrintStream;

/**
 * {@code udaddy}: asks for datagram services by address and exchanges datagrams with each, here or
 * with librdmacm's program at the other end.
 */
public final class Udaddy {
  private static final Program PROGRAM = new Program("udaddy");

  private Udaddy() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the steps are printed here
   * @param err a server's address is printed here
   * @param args the original's options, without {@code -P ipoib} and {@code -f gid}, and {@code
   *     --port}, which the original does not have
   * @throws CommandException when an option is wrong, a connection cannot be made or ends too
   *     early, the device goes or the thread is interrupted
   */
  public static void run(
      IbCore core, CmClient manager, PrintStream out, PrintStream err, String... args) {
    MessageOptions options = MessageOptions.ofDatagrams(PROGRAM, args);
    PROGRAM.run(
        core,
        manager,
        cm -> {
          Connections all = new Connections(PROGRAM, options, cm);
          all.play(out, err, () -> serve(options, all, out), () -> ask(options, all, out));
        });
  }

  private static void serve(MessageOptions options, Connections all, PrintStream out) {
    if (options.count() > 0) {
      out.println("receiving data transfers");
      all.awaitReceived();
      out.println("sending replies");
      all.send();
      all.awaitSent();
      out.println("data transfers complete");
    }
  }

  private static void ask(MessageOptions options, Connections all, PrintStream out) {
    if (options.count() > 0) {
      out.println("initiating data transfers");
      all.send();
      out.println("receiving data transfers");
      all.awaitReceived();
      out.println("data transfers complete");
    }
  }
}
