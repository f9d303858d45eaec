package ib.tools.rdmacm;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.IbCore;
import ib.tools.getopt.CommandException;
import ib.tools.getopt.Getopt;
import ib.tools.getopt.Parsed;
import ib.tools.output.Usage;
import java.io.PrintStream;
import java.net.InetSocketAddress;

/**
 * {@code rdma_server} and {@code rdma_client}: one connection by address, 16 bytes there and back,
 * here or with librdmacm's program at the other end.
 */
public final class RdmaExample {
  private static final int PORT = 7471;
  private static final int BYTES = 16;

  private RdmaExample() {}

  /**
   * Runs the command.
   *
   * @param core the midlayer
   * @param manager its connection manager
   * @param out the steps are printed here
   * @param err a server's address is printed here
   * @param server whether this is {@code rdma_server}
   * @param args the original's options
   * @throws CommandException when an option is wrong, the connection cannot be made or ends too
   *     early, the device goes or the thread is interrupted
   */
  public static void run(
      IbCore core,
      CmClient manager,
      PrintStream out,
      PrintStream err,
      boolean server,
      String... args) {
    String command = server ? "rdma_server" : "rdma_client";
    Program program = new Program(command);
    Parsed line =
        new Getopt(command, Usage.of(command), "s,server=", "p,port=").parse(args).atMost(0);
    String host = line.last("server");
    String at = host != null ? host : server ? "0.0.0.0" : "127.0.0.1";
    InetSocketAddress address = program.at(at, line, PORT);
    MessageOptions options = new MessageOptions(server, address, 1, 1, BYTES, RdmaOptions.rc());
    program.run(
        core,
        manager,
        cm -> {
          Connections all = new Connections(program, options, cm);
          out.println(command + ": start");
          if (server) {
            all.accept(err);
            all.awaitReceived();
            all.send();
            all.awaitSent();
          } else {
            all.connect();
            all.send();
            all.awaitSent();
            all.awaitReceived();
          }
          all.disconnect();
          all.awaitEnds();
          out.println(command + ": end 0");
        });
  }
}
