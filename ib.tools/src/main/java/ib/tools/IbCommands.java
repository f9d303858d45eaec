package ib.tools;

import ib.cm.CmClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.tools.capture.Captures;
import ib.tools.diags.Failures;
import ib.tools.diags.Perfquery;
import ib.tools.diags.Why;
import ib.tools.fault.FaultCommand;
import ib.tools.hotplug.Clients;
import ib.tools.hotplug.Events;
import ib.tools.hotplug.Objects;
import ib.tools.hotplug.Slots;
import ib.tools.hotplug.Violations;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import ib.tools.verbs.Asyncwatch;
import ib.tools.verbs.DeviceList;
import ib.tools.verbs.Devinfo;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.Process;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * The commands of scope {@code ib}. The methods have the names of the original commands. Each
 * returns a value that the shell prints through {@link PrintableConverter}, or throws a {@link
 * ib.tools.getopt.CommandException} whose text the shell prints. The thread of the shell session
 * calls.
 */
@Component(service = IbCommands.class, immediate = true)
@GogoCommand(
    scope = "ib",
    function = {
      "ibv_devices",
      "ibv_devinfo",
      "ibv_asyncwatch",
      "ibv_rc_pingpong",
      "ibv_uc_pingpong",
      "ibv_ud_pingpong",
      "ibv_srq_pingpong",
      "rdma",
      "perfquery",
      "capture",
      "why",
      "fault",
      "clients",
      "plug",
      "unplug",
      "objects",
      "events",
      "violations"
    })
@SuppressWarnings("checkstyle:MethodName")
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

  /** Closes the captures that commands have started. */
  @Deactivate
  void deactivate() {
    captures.close();
  }

  /**
   * Lists devices.
   *
   * @param args see {@link DeviceList}
   * @return the value
   */
  @Descriptor("names and node GUIDs of all devices")
  public @Nullable Object ibv_devices(@Descriptor("[-j]") String... args) {
    return Invocation.run(() -> DeviceList.run(core, args));
  }

  /**
   * Shows attributes.
   *
   * @param args see {@link Devinfo}
   * @return the value
   */
  @Descriptor("attributes of devices and ports")
  public @Nullable Object ibv_devinfo(
      @Descriptor("[-d dev] [-i port] [-l] [-v] [-j]") String... args) {
    return Invocation.run(() -> Devinfo.run(core, args));
  }

  /**
   * Watches events.
   *
   * @param session the shell's
   * @param args see {@link Asyncwatch}
   * @return the value
   */
  @Descriptor("prints the asynchronous events of a device until Ctrl-C")
  public @Nullable Object ibv_asyncwatch(
      CommandSession session,
      @Descriptor("[-d dev] [-n events] [-t seconds] [-q] [-j]") String... args) {
    return Invocation.run(() -> Asyncwatch.run(core, out(session), args));
  }

  /**
   * Plays ping-pong over a reliable connection.
   *
   * @param session the shell's
   * @param args see {@link PingPong}
   * @return the value
   */
  @Descriptor("ping-pong over RC; a second device as operand runs both ends here")
  public @Nullable Object ibv_rc_pingpong(
      CommandSession session, @Descriptor("[-d dev] [options] [host|dev]") String... args) {
    return pingPong(Kind.RC, session, args);
  }

  /**
   * Plays ping-pong over an unreliable connection.
   *
   * @param session the shell's
   * @param args see {@link PingPong}
   * @return the value
   */
  @Descriptor("ping-pong over UC; a second device as operand runs both ends here")
  public @Nullable Object ibv_uc_pingpong(
      CommandSession session, @Descriptor("[-d dev] [options] [host|dev]") String... args) {
    return pingPong(Kind.UC, session, args);
  }

  /**
   * Plays ping-pong with datagrams.
   *
   * @param session the shell's
   * @param args see {@link PingPong}
   * @return the value
   */
  @Descriptor("ping-pong over UD; a second device as operand runs both ends here")
  public @Nullable Object ibv_ud_pingpong(
      CommandSession session, @Descriptor("[-d dev] [options] [host|dev]") String... args) {
    return pingPong(Kind.UD, session, args);
  }

  /**
   * Plays ping-pong over several reliable connections that share a receive queue.
   *
   * @param session the shell's
   * @param args see {@link PingPong}
   * @return the value
   */
  @Descriptor("ping-pong over RC with an SRQ; a second device as operand runs both ends here")
  public @Nullable Object ibv_srq_pingpong(
      CommandSession session, @Descriptor("[-d dev] [options] [host|dev]") String... args) {
    return pingPong(Kind.SRQ, session, args);
  }

  /**
   * Shows devices, links, objects, modes, counters and hot-plug.
   *
   * @param session the shell's
   * @param args see {@link Rdma}
   * @return the value
   */
  @Descriptor("devices, links, resources, statistics, and devices that come and go")
  public @Nullable Object rdma(
      CommandSession session,
      @Descriptor("[-d] [-j] [-p] dev|link|resource|system|statistic|monitor [show …]")
          String... args) {
    return Invocation.run(() -> Rdma.run(core, diagnoses, connectionManagers, out(session), args));
  }

  /**
   * Shows port counters.
   *
   * @param args see {@link Perfquery}
   * @return the value
   */
  @Descriptor("port counters: classic, or with -x the 64-bit ones; -r and -R reset")
  public @Nullable Object perfquery(
      @Descriptor("[-x] [-r] [-R] [-a] [-C dev] [-P port] [lid|dev [port [mask]]]")
          String... args) {
    return Invocation.run(() -> Perfquery.run(core, args));
  }

  /**
   * Disturbs packets on purpose.
   *
   * @param args see {@link FaultCommand}
   * @return the value
   */
  @Descriptor("loses, copies, holds back or damages packets of a device on purpose")
  public @Nullable Object fault(@Descriptor("add|list|clear|seed [dev] [rule]") String... args) {
    return Invocation.run(() -> FaultCommand.run(faultInjections, args));
  }

  /**
   * Captures packets.
   *
   * @param args see {@link Captures}
   * @return the value
   */
  @Descriptor("captures packets as pcapng, to a file or for wireshark -i TCP@…")
  public @Nullable Object capture(
      @Descriptor("start [-f filter] dev file|-t port, stop [dev], status") String... args) {
    return Invocation.run(() -> captures.run(packetCaptures, args));
  }

  /**
   * Tells why a queue pair is as it is, or why connections were not made.
   *
   * @param args see {@link Why}
   * @return the value
   */
  @Descriptor("what has happened to a queue pair, the likely cause, what to try")
  public @Nullable Object why(@Descriptor("[-j] [dev] qpn|-c [-j] [address]") String... args) {
    Clock clock = Clock.systemDefaultZone();
    return Invocation.run(
        () ->
            Failures.asked(args)
                ? Failures.run(connectionManagers, clock, args)
                : Why.run(diagnoses, clock, args));
  }

  /**
   * Shows clients.
   *
   * @param args see {@link Clients}
   * @return the value
   */
  @Descriptor("clients in the order of their adds, with state and times per device")
  public @Nullable Object clients(@Descriptor("[-j]") String... args) {
    return Invocation.run(() -> Clients.run(core, args));
  }

  /**
   * Plugs a device in.
   *
   * @param args see {@link Slots#plug}
   * @return the value
   */
  @Descriptor("plugs a device in")
  public @Nullable Object plug(@Descriptor("[-j] dev") String... args) {
    return Invocation.run(() -> Slots.plug(core, slots, args));
  }

  /**
   * Unplugs a device.
   *
   * @param args see {@link Slots#unplug}
   * @return the value
   */
  @Descriptor("unplugs a device and tells how its clients were removed")
  public @Nullable Object unplug(@Descriptor("[-j] dev") String... args) {
    return Invocation.run(() -> Slots.unplug(core, slots, args));
  }

  /**
   * Shows objects.
   *
   * @param args see {@link Objects}
   * @return the value
   */
  @Descriptor("all live objects, with owner and use count")
  public @Nullable Object objects(@Descriptor("[-j] [dev]") String... args) {
    return Invocation.run(() -> Objects.run(core, args));
  }

  /**
   * Shows what became of events.
   *
   * @param args see {@link Events}
   * @return the value
   */
  @Descriptor("what became of the events of devices: delivered, lost, late")
  public @Nullable Object events(@Descriptor("[-j] [dev]") String... args) {
    return Invocation.run(() -> Events.run(core, args));
  }

  /**
   * Shows violations.
   *
   * @param args see {@link Violations}
   * @return the value
   */
  @Descriptor("broken clauses of the contract")
  public @Nullable Object violations(@Descriptor("[-v] [-j]") String... args) {
    return Invocation.run(() -> Violations.run(core, args));
  }

  private @Nullable Object pingPong(Kind kind, CommandSession session, String... args) {
    WarmUp warmUp = new WarmUp(faultInjections, packetCaptures);
    return Invocation.run(() -> PingPong.run(core, warmUp, kind, out(session), err(session), args));
  }

  /** {@return the stream of the command's output; in a pipeline, the pipe} */
  static PrintStream out(CommandSession session) {
    Process process = Process.Utils.current();
    return process == null ? session.getConsole() : ShellOutput.of(process.out(), session);
  }

  /** {@return the stream of messages that are no output} */
  static PrintStream err(CommandSession session) {
    Process process = Process.Utils.current();
    return process == null ? session.getConsole() : ShellOutput.of(process.err(), session);
  }
}
