package ib.tools;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.tools.osgi.CommandService;
import ib.tools.perftest.ByAddress;
import ib.tools.perftest.CmRuns;
import ib.tools.perftest.Perftest;
import ib.tools.rdmacm.Cmtime;
import ib.tools.rdmacm.Mckey;
import ib.tools.rdmacm.Rcopy;
import ib.tools.rdmacm.RdmaExample;
import ib.tools.rdmacm.Riostream;
import ib.tools.rdmacm.Rping;
import ib.tools.rdmacm.Rstream;
import ib.tools.rdmacm.Ucmatose;
import ib.tools.rdmacm.Udaddy;
import ib.tools.shell.Catalogue;
import java.io.PrintStream;
import java.util.function.BiFunction;
import org.apache.felix.service.command.CommandSession;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * The commands of scope {@code ib} that librdmacm has, and the options {@code -R} and {@code -z} of
 * perftest's; see {@link IbCommands}. They are there while the connection manager is.
 */
@Component(service = ByAddress.class, immediate = true)
public final class RdmaCmCommands implements ByAddress {
  private final IbCore core;
  private final CmClient cm;
  private final ByAddress runs;
  private final CommandService service = new CommandService();

  /**
   * Called by DS.
   *
   * @param core the core
   * @param cm the connection manager
   */
  @Activate
  public RdmaCmCommands(
      @Reference(target = LocalServices.ONLY) IbCore core,
      @Reference(target = LocalServices.ONLY) CmClient cm) {
    this.core = core;
    this.cm = cm;
    this.runs = new CmRuns(core, cm);
  }

  @Activate
  void activate(BundleContext context) {
    CommandTable table = commands();
    service.open(context, table, table.names());
  }

  @Deactivate
  void deactivate() {
    service.close();
  }

  /** {@return the table} */
  CommandTable commands() {
    return new CommandTable(Catalogue.MEASUREMENTS)
        .command(
            "rping -s|-c [-vV] [-S size] [-C count] [-a addr] [-p port] [-I addr] [-P]",
            "connects by address and plays ping-pong by SEND, READ and WRITE, as librdmacm's")
        .runs(example(Rping::run))
        .command(
            "rstream [-s addr|-b addr] [-p port] [-S size|all] [-C count] [-I count] [-B size] [-T s|b|v]",
            "measures a stream of bytes over RDMA, or TCP beside it, as librdmacm's")
        .runs(example(Rstream::run))
        .command(
            "rcopy [source server[:destination]] [-p port] [-b addr] [-d folder]",
            "copies a file by a stream over RDMA, as librdmacm's; without a file it receives")
        .runs(example(Rcopy::run))
        .command(
            "riostream [-s addr|-b addr] [-p port] [-S size|all] [-C count] [-I count] [-B size] [-T b|v]",
            "measures direct writes into memory by a stream over RDMA, as librdmacm's")
        .runs(example(Riostream::run))
        .command(
            "ucmatose [-s addr] [-b addr] [-P tcp|ib] [-c count] [-C count] [-S size] [-p port]",
            "connects by address, exchanges messages and disconnects, as librdmacm's")
        .runs(example(Ucmatose::run))
        .command(
            "udaddy [-s addr] [-b addr] [-c count] [-C count] [-S size] [-t tos]",
            "finds datagram services by address, exchanges datagrams, as librdmacm's")
        .runs(example(Udaddy::run))
        .command(
            "rdma_server [-s addr] [-p port]",
            "accepts one connection by address and exchanges 16 bytes, as librdmacm's")
        .runs(example((c, m, out, err, args) -> RdmaExample.run(c, m, out, err, true, args)))
        .command(
            "rdma_client [-s addr] [-p port]",
            "connects by address and exchanges 16 bytes, as librdmacm's")
        .runs(example((c, m, out, err, args) -> RdmaExample.run(c, m, out, err, false, args)))
        .command(
            "cmtime [-s addr] [-b addr] [-c count] [-p port]",
            "measures the steps of connections by address, as librdmacm's")
        .runs(example(Cmtime::run))
        .command(
            "mckey -m group [-s] [-b addr] [-c count] [-C count] [-S size]",
            "joins a multicast group by address, sends or receives messages, as librdmacm's")
        .runs(example((c, m, out, _, args) -> Mckey.run(c, m, out, args)));
  }

  /** A program that prints what it has to say. */
  @FunctionalInterface
  private interface Example {
    void run(IbCore core, CmClient cm, PrintStream out, PrintStream err, String... args);
  }

  private BiFunction<CommandSession, String[], @Nullable Object> example(Example program) {
    return (session, args) -> {
      program.run(core, cm, ShellOutput.out(session), ShellOutput.err(session), args);
      return null;
    };
  }

  @Override
  public void run(Perftest run) {
    runs.run(run);
  }
}
