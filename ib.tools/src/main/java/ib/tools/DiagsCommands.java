package ib.tools;

import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.tools.diags.Ibstat;
import ib.tools.fabric.Commands;
import ib.tools.fabric.Ibping;
import ib.tools.fabric.Queryerrors;
import ib.tools.fabric.Saquery;
import ib.tools.shell.Catalogue;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The commands of scope {@code ib} that infiniband-diags has; see {@link IbCommands}. */
@Component(
    service = DiagsCommands.class,
    property = Catalogue.GROUP + "=3 the fabric, as infiniband-diags")
@GogoCommand(
    scope = "ib",
    function = {
      "ibaddr",
      "ibhosts",
      "iblinkinfo",
      "ibping",
      "ibportstate",
      "ibnetdiscover",
      "ibnodes",
      "ibqueryerrors",
      "ibroute",
      "ibstat",
      "ibstatus",
      "ibswitches",
      "ibtracert",
      "saquery",
      "sminfo",
      "smpquery"
    })
public final class DiagsCommands {
  private final IbCore core;

  /**
   * Called by DS.
   *
   * @param core the core
   */
  @Activate
  public DiagsCommands(@Reference(target = LocalServices.ONLY) IbCore core) {
    this.core = core;
  }

  /**
   * Shows adapters.
   *
   * @param args see {@link Ibstat#ibstat}
   * @return the value
   */
  @Descriptor("adapters and their ports, as libibumad sees them")
  public @Nullable Object ibstat(@Descriptor("[-l] [-s] [-p] [-j] [dev [port]]") String... args) {
    return Invocation.run(() -> Ibstat.ibstat(core, args));
  }

  /**
   * Shows ports.
   *
   * @param args see {@link Ibstat#ibstatus}
   * @return the value
   */
  @Descriptor("state, LID and rate of each port, as sysfs has them")
  public @Nullable Object ibstatus(@Descriptor("[dev[:port]]...") String... args) {
    return Invocation.run(() -> Ibstat.ibstatus(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBADDR}
   * @return what is printed
   */
  @Descriptor("GID and LIDs of a port")
  public @Nullable Object ibaddr(
      @Descriptor("[-g] [-l] [-L] [lid|-D route|-G guid]") String... args) {
    return Invocation.run(() -> Commands.IBADDR.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBHOSTS}
   * @return what is printed
   */
  @Descriptor("the adapters of the fabric")
  public @Nullable Object ibhosts(@Descriptor("[-C dev] [-P port]") String... args) {
    return Invocation.run(() -> Commands.IBHOSTS.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBLINKINFO}
   * @return what is printed
   */
  @Descriptor("each link of the fabric, with what it could be")
  public @Nullable Object iblinkinfo(@Descriptor("[-l] [-d] [--switches-only]") String... args) {
    return Invocation.run(() -> Commands.IBLINKINFO.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBNETDISCOVER}
   * @return what is printed
   */
  @Descriptor("the fabric as a topology file")
  public @Nullable Object ibnetdiscover(@Descriptor("[-f] [-p] [-l] [-H] [-S]") String... args) {
    return Invocation.run(() -> Commands.IBNETDISCOVER.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBNODES}
   * @return what is printed
   */
  @Descriptor("the adapters and the switches of the fabric")
  public @Nullable Object ibnodes(@Descriptor("[-C dev] [-P port]") String... args) {
    return Invocation.run(() -> Commands.IBNODES.run(core, args));
  }

  /**
   * Asks each node of the fabric for its errors.
   *
   * @param args see {@link Queryerrors}
   * @return what is printed
   */
  @Descriptor("the ports of the fabric that have counted errors")
  public @Nullable Object ibqueryerrors(
      @Descriptor("[-s counter,...] [-k] [-C dev] [-P port]") String... args) {
    return Invocation.run(() -> Queryerrors.run(core, args));
  }

  /**
   * Shows or changes the state of a port.
   *
   * @param args see {@link Commands#IBPORTSTATE}
   * @return what is printed
   */
  @Descriptor("the state of a port, and how to change it")
  public @Nullable Object ibportstate(
      @Descriptor("[-D] [-G] lid port [query|enable|disable|reset|...]") String... args) {
    return Invocation.run(() -> Commands.IBPORTSTATE.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBROUTE}
   * @return what is printed
   */
  @Descriptor("the forwarding tables of a switch")
  public @Nullable Object ibroute(@Descriptor("[-a] [-n] [-M] lid") String... args) {
    return Invocation.run(() -> Commands.IBROUTE.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBSWITCHES}
   * @return what is printed
   */
  @Descriptor("the switches of the fabric")
  public @Nullable Object ibswitches(@Descriptor("[-C dev] [-P port]") String... args) {
    return Invocation.run(() -> Commands.IBSWITCHES.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#IBTRACERT}
   * @return what is printed
   */
  @Descriptor("the way of a packet through the fabric")
  public @Nullable Object ibtracert(@Descriptor("[-n] [-G] from to") String... args) {
    return Invocation.run(() -> Commands.IBTRACERT.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#SMINFO}
   * @return what is printed
   */
  @Descriptor("the subnet manager")
  public @Nullable Object sminfo(@Descriptor("[lid]") String... args) {
    return Invocation.run(() -> Commands.SMINFO.run(core, args));
  }

  /**
   * Asks the fabric.
   *
   * @param args see {@link Commands#SMPQUERY}
   * @return what is printed
   */
  @Descriptor(
      "an attribute of subnet management: nodeinfo, nodedesc, portinfo, switchinfo, pkeys, guidinfo, sl2vl")
  public @Nullable Object smpquery(@Descriptor("[-D] [-G] operation lid [port]") String... args) {
    return Invocation.run(() -> Commands.SMPQUERY.run(core, args));
  }

  /**
   * Asks the subnet administrator.
   *
   * @param args see {@link Saquery}
   * @return what is printed
   */
  @Descriptor("records of the subnet administrator")
  public @Nullable Object saquery(
      @Descriptor("[-c] [-g] [-m] [-p] [-s] [-x] [NR|PR|MCMR|PIR|LR|SR|SMIR|LFTR]")
          String... args) {
    return Invocation.run(() -> Saquery.run(core, args));
  }

  /**
   * Pings a port, or answers.
   *
   * @param session the shell's
   * @param args see {@link Ibping}
   * @return what is printed at the end
   */
  @Descriptor("datagrams to a port where ibping -S answers")
  public @Nullable Object ibping(
      CommandSession session, @Descriptor("[-c count] [-f] [-S] [lid]") String... args) {
    return Invocation.run(
        () -> Ibping.run(core, IbCommands.out(session), IbCommands.err(session), args));
  }
}
