package ib.tools;

import static ib.tools.ShellOutput.err;
import static ib.tools.ShellOutput.out;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.tools.capture.Captures;
import ib.tools.diags.Failures;
import ib.tools.diags.Ibstat;
import ib.tools.diags.Perfquery;
import ib.tools.diags.Why;
import ib.tools.fabric.Commands;
import ib.tools.fabric.Ibping;
import ib.tools.fabric.Queryerrors;
import ib.tools.fabric.Saquery;
import ib.tools.fault.FaultCommand;
import ib.tools.hotplug.Clients;
import ib.tools.hotplug.Events;
import ib.tools.hotplug.Objects;
import ib.tools.hotplug.Slots;
import ib.tools.hotplug.Violations;
import ib.tools.osgi.CommandService;
import ib.tools.perftest.ByAddress;
import ib.tools.perftest.Midlayer;
import ib.tools.perftest.Perftest;
import ib.tools.perftest.Tool;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import ib.tools.shell.Catalogue;
import ib.tools.verbs.Asyncwatch;
import ib.tools.verbs.DeviceList;
import ib.tools.verbs.Devinfo;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * The commands of scope {@code ib} that need the core, or devices. They have the names of the
 * original commands.
 */
@Component(service = IbCommands.class, immediate = true)
public final class IbCommands {
  private final IbCore core;

  @Reference(target = LocalServices.ONLY)
  private volatile List<DeviceSlot> slots = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<PacketCapture> packetCaptures = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<QpDiagnosis> diagnoses = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<FaultInjection> faultInjections = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<CmClient> connectionManagers = List.of();

  @Reference(
      target = LocalServices.ONLY,
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  private volatile @Nullable ByAddress byAddress; // has no type of ib.cm, which may be absent

  private final CommandService service = new CommandService();
  private final Captures captures = new Captures();

  /**
   * Called by DS.
   *
   * @param core the core
   */
  @Activate
  public IbCommands(@Reference(target = LocalServices.ONLY) IbCore core) {
    this.core = core;
  }

  @Activate
  void activate(BundleContext context) {
    CommandTable table = commands();
    service.open(context, table, table.names());
  }

  /** Closes the captures that commands have started. */
  @Deactivate
  void deactivate() {
    service.close();
    captures.close();
  }

  /** {@return the table} */
  public CommandTable commands() {
    CommandTable table = new CommandTable(Catalogue.DEVICES);
    devices(table);
    measurements(table.group(Catalogue.MEASUREMENTS));
    fabric(table.group(Catalogue.FABRIC));
    runtime(table.group(Catalogue.OWN));
    return table;
  }

  private void devices(CommandTable table) {
    table
        .command("ibv_devices [-j]", "names and node GUIDs of all devices")
        .runs((_, args) -> DeviceList.run(core, args))
        .command("ibv_devinfo [-d dev] [-i port] [-l] [-v] [-j]", "attributes of devices and ports")
        .runs((_, args) -> Devinfo.run(core, args))
        .command(
            "ibv_asyncwatch [-d dev] [-n events] [-t seconds] [-q] [-j]",
            "prints the asynchronous events of a device until Ctrl-C")
        .runs((session, args) -> Asyncwatch.run(core, out(session), args))
        .command(
            "rdma [-d] [-j] [-p] dev|link|resource|system|statistic|monitor [show …]",
            "devices, links, resources, statistics, and devices that come and go")
        .runs((s, args) -> Rdma.run(core, diagnoses, connectionManagers, out(s), args))
        .command(
            "perfquery [-x] [-r] [-R] [-a] [-C dev] [-P port] [lid|dev [port [mask]]]",
            "port counters: classic, or with -x the 64-bit ones; -r and -R reset")
        .runs((_, args) -> Perfquery.run(core, args));
    for (Kind kind : Kind.values()) {
      table
          .command(
              kind.program() + " [-d dev] [options] [host|dev]",
              "ping-pong over %s; a second device as operand runs both ends here"
                  .formatted(kind == Kind.SRQ ? "RC with an SRQ" : kind))
          .runs((s, args) -> PingPong.run(core, warmUp(), kind, out(s), err(s), args));
    }
  }

  private void measurements(CommandTable table) {
    for (Tool tool : Tool.values()) {
      table
          .command(
              tool.program() + " [-d dev] [options] [host]",
              tool.measure() + ", as perftest's; without a host the server")
          .runs((s, a) -> Perftest.run(midlayer(), warmUp(), tool, out(s), err(s), a));
    }
  }

  private void fabric(CommandTable table) {
    table
        .command(
            "ibstat [-l] [-s] [-p] [-j] [dev [port]]",
            "adapters and their ports, as libibumad sees them")
        .runs((_, args) -> Ibstat.ibstat(core, args))
        .command("ibstatus [dev[:port]]...", "state, LID and rate of each port, as sysfs has them")
        .runs((_, args) -> Ibstat.ibstatus(core, args))
        .command("ibaddr [-g] [-l] [-L] [lid|-D route|-G guid]", "GID and LIDs of a port")
        .runs((_, args) -> Commands.IBADDR.run(core, args))
        .command("ibhosts [-C dev] [-P port]", "the adapters of the fabric")
        .runs((_, args) -> Commands.IBHOSTS.run(core, args))
        .command(
            "iblinkinfo [-l] [-d] [--switches-only]",
            "each link of the fabric, with what it could be")
        .runs((_, args) -> Commands.IBLINKINFO.run(core, args))
        .command("ibnetdiscover [-f] [-p] [-l] [-H] [-S]", "the fabric as a topology file")
        .runs((_, args) -> Commands.IBNETDISCOVER.run(core, args))
        .command("ibnodes [-C dev] [-P port]", "the adapters and the switches of the fabric")
        .runs((_, args) -> Commands.IBNODES.run(core, args))
        .command(
            "ibqueryerrors [-s counter,...] [-k] [-C dev] [-P port]",
            "the ports of the fabric that have counted errors")
        .runs((_, args) -> Queryerrors.run(core, args))
        .command(
            "ibportstate [-D] [-G] lid port [query|enable|disable|reset|...]",
            "the state of a port, and how to change it")
        .runs((_, args) -> Commands.IBPORTSTATE.run(core, args))
        .command("ibroute [-a] [-n] [-M] lid", "the forwarding tables of a switch")
        .runs((_, args) -> Commands.IBROUTE.run(core, args))
        .command("ibswitches [-C dev] [-P port]", "the switches of the fabric")
        .runs((_, args) -> Commands.IBSWITCHES.run(core, args))
        .command("ibtracert [-n] [-G] from to", "the way of a packet through the fabric")
        .runs((_, args) -> Commands.IBTRACERT.run(core, args))
        .command("sminfo [lid]", "the subnet manager")
        .runs((_, args) -> Commands.SMINFO.run(core, args))
        .command(
            "smpquery [-D] [-G] operation lid [port]",
            "an attribute of subnet management: nodeinfo, nodedesc, portinfo, switchinfo, pkeys, guidinfo, sl2vl")
        .runs((_, args) -> Commands.SMPQUERY.run(core, args))
        .command(
            "saquery [-c] [-g] [-m] [-p] [-s] [-x] [NR|PR|MCMR|PIR|LR|SR|SMIR|LFTR]",
            "records of the subnet administrator")
        .runs((_, args) -> Saquery.run(core, args))
        .command("ibping [-c count] [-f] [-S] [lid]", "datagrams to a port where ibping -S answers")
        .runs((session, args) -> Ibping.run(core, out(session), err(session), args));
  }

  private void runtime(CommandTable table) {
    table
        .command(
            "fault add|list|clear|seed [dev] [rule]",
            "loses, copies, holds back or damages packets of a device on purpose")
        .runs((_, args) -> FaultCommand.run(faultInjections, args))
        .command(
            "capture start [-f filter] dev file|-t port, stop [dev], status",
            "captures packets as pcapng, to a file or for wireshark -i TCP@…")
        .runs((_, args) -> captures.run(packetCaptures, args))
        .command(
            "why [-j] [dev] qpn|-c [-j] [address]",
            "what has happened to a queue pair, the likely cause, what to try")
        .runs((_, args) -> why(args))
        .command(
            "clients [-j]", "clients in the order of their adds, with state and times per device")
        .runs((_, args) -> Clients.run(core, args))
        .command("plug [-j] dev", "plugs a device in")
        .runs((_, args) -> Slots.plug(core, slots, args))
        .command("unplug [-j] dev", "unplugs a device and tells how its clients were removed")
        .runs((_, args) -> Slots.unplug(core, slots, args))
        .command("objects [-j] [dev]", "all live objects, with owner and use count")
        .runs((_, args) -> Objects.run(core, args))
        .command("events [-j] [dev]", "what became of the events of devices: delivered, lost, late")
        .runs((_, args) -> Events.run(core, args))
        .command("violations [-v] [-j]", "broken clauses of the contract")
        .runs((_, args) -> Violations.run(core, args));
  }

  private Object why(String... args) {
    Clock clock = Clock.systemDefaultZone();
    return Failures.asked(args)
        ? Failures.run(connectionManagers, clock, args)
        : Why.run(diagnoses, clock, args);
  }

  private Midlayer midlayer() {
    return new Midlayer(core, byAddress);
  }

  private WarmUp warmUp() {
    return new WarmUp(faultInjections, packetCaptures);
  }
}
