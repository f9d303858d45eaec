package ib.tools;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
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
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * The commands of scope {@code ib} that librdmacm has; see {@link IbCommands}. They are there while
 * the connection manager is.
 */
@Component(
    service = RdmaCmCommands.class,
    property = Catalogue.GROUP + "=2 measurements and connections, as perftest and librdmacm")
@GogoCommand(
    scope = "ib",
    function = {
      "cmtime",
      "mckey",
      "rcopy",
      "rdma_client",
      "rdma_server",
      "riostream",
      "rping",
      "rstream",
      "ucmatose",
      "udaddy"
    })
@SuppressWarnings("checkstyle:MethodName")
public final class RdmaCmCommands {
  private final IbCore core;
  private final CmClient cm;

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
  }

  /** A program that prints what it has to say. */
  @FunctionalInterface
  private interface Example {
    void run(IbCore core, CmClient cm, PrintStream out, PrintStream err, String... args);
  }

  private @Nullable Object run(Example program, CommandSession session, String... args) {
    return Invocation.run(
        () -> {
          program.run(core, cm, IbCommands.out(session), IbCommands.err(session), args);
          return null;
        });
  }

  /**
   * Pings by RDMA over a connection made by address.
   *
   * @param session the shell's
   * @param args see {@link Rping}
   * @return the value
   */
  @Descriptor("connects by address and plays ping-pong by SEND, READ and WRITE, as librdmacm's")
  public @Nullable Object rping(
      CommandSession session,
      @Descriptor("-s|-c [-vV] [-S size] [-C count] [-a addr] [-p port] [-I addr] [-P]")
          String... args) {
    return run(Rping::run, session, args);
  }

  /**
   * Sends messages there and back over a stream.
   *
   * @param session the shell's
   * @param args see {@link Rstream}
   * @return the value
   */
  @Descriptor("measures a stream of bytes over RDMA, or TCP beside it, as librdmacm's")
  public @Nullable Object rstream(
      CommandSession session,
      @Descriptor(
              "[-s addr|-b addr] [-p port] [-S size|all] [-C count] [-I count] [-B size] [-T s|b|v]")
          String... args) {
    return run(Rstream::run, session, args);
  }

  /**
   * Copies a file over a stream.
   *
   * @param session the shell's
   * @param args see {@link Rcopy}
   * @return the value
   */
  @Descriptor("copies a file by a stream over RDMA, as librdmacm's; without a file it receives")
  public @Nullable Object rcopy(
      CommandSession session,
      @Descriptor("[source server[:destination]] [-p port] [-b addr] [-d folder]") String... args) {
    return run(Rcopy::run, session, args);
  }

  /**
   * Writes there and back directly into memory, by a stream.
   *
   * @param session the shell's
   * @param args see {@link Riostream}
   * @return the value
   */
  @Descriptor("measures direct writes into memory by a stream over RDMA, as librdmacm's")
  public @Nullable Object riostream(
      CommandSession session,
      @Descriptor(
              "[-s addr|-b addr] [-p port] [-S size|all] [-C count] [-I count] [-B size] [-T b|v]")
          String... args) {
    return run(Riostream::run, session, args);
  }

  /**
   * Exchanges messages over connections made by address.
   *
   * @param session the shell's
   * @param args see {@link Ucmatose}
   * @return the value
   */
  @Descriptor("connects by address, exchanges messages and disconnects, as librdmacm's")
  public @Nullable Object ucmatose(
      CommandSession session,
      @Descriptor("[-s addr] [-b addr] [-P tcp|ib] [-c count] [-C count] [-S size] [-p port]")
          String... args) {
    return run(Ucmatose::run, session, args);
  }

  /**
   * Exchanges datagrams with services found by address.
   *
   * @param session the shell's
   * @param args see {@link Udaddy}
   * @return the value
   */
  @Descriptor("finds datagram services by address, exchanges datagrams, as librdmacm's")
  public @Nullable Object udaddy(
      CommandSession session,
      @Descriptor("[-s addr] [-b addr] [-c count] [-C count] [-S size] [-t tos]") String... args) {
    return run(Udaddy::run, session, args);
  }

  /**
   * Waits for a client, and exchanges 16 bytes with it.
   *
   * @param session the shell's
   * @param args see {@link RdmaExample}
   * @return the value
   */
  @Descriptor("accepts one connection by address and exchanges 16 bytes, as librdmacm's")
  public @Nullable Object rdma_server(
      CommandSession session, @Descriptor("[-s addr] [-p port]") String... args) {
    return run((c, m, out, err, a) -> RdmaExample.run(c, m, out, err, true, a), session, args);
  }

  /**
   * Connects to a server, and exchanges 16 bytes with it.
   *
   * @param session the shell's
   * @param args see {@link RdmaExample}
   * @return the value
   */
  @Descriptor("connects by address and exchanges 16 bytes, as librdmacm's")
  public @Nullable Object rdma_client(
      CommandSession session, @Descriptor("[-s addr] [-p port]") String... args) {
    return run((c, m, out, err, a) -> RdmaExample.run(c, m, out, err, false, a), session, args);
  }

  /**
   * Measures how long connections take.
   *
   * @param session the shell's
   * @param args see {@link Cmtime}
   * @return the value
   */
  @Descriptor("measures the steps of connections by address, as librdmacm's")
  public @Nullable Object cmtime(
      CommandSession session,
      @Descriptor("[-s addr] [-b addr] [-c count] [-p port]") String... args) {
    return run(Cmtime::run, session, args);
  }

  /**
   * Sends messages to a multicast group, or receives them.
   *
   * @param session the shell's
   * @param args see {@link Mckey}
   * @return the value
   */
  @Descriptor("joins a multicast group by address, sends or receives messages, as librdmacm's")
  public @Nullable Object mckey(
      CommandSession session,
      @Descriptor("-m group [-s] [-b addr] [-c count] [-C count] [-S size]") String... args) {
    return run((c, m, out, err, a) -> Mckey.run(c, m, out, a), session, args);
  }
}
