package ib.tools;

import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.tools.perftest.ByAddress;
import ib.tools.perftest.Midlayer;
import ib.tools.perftest.Perftest;
import ib.tools.perftest.Tool;
import ib.tools.run.WarmUp;
import ib.tools.shell.Catalogue;
import java.io.PrintStream;
import java.util.List;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Descriptor;
import org.apache.felix.service.command.annotations.GogoCommand;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** The commands of scope {@code ib} that perftest has; see {@link IbCommands}. */
@Component(
    service = PerftestCommands.class,
    property = Catalogue.GROUP + "=2 measurements and connections, as perftest and librdmacm")
@GogoCommand(
    scope = "ib",
    function = {
      "ib_send_bw",
      "ib_send_lat",
      "ib_write_bw",
      "ib_write_lat",
      "ib_read_bw",
      "ib_read_lat",
      "ib_atomic_bw",
      "ib_atomic_lat"
    })
@SuppressWarnings("checkstyle:MethodName")
public final class PerftestCommands {
  private final IbCore core;

  @Reference(target = LocalServices.ONLY)
  private volatile List<PacketCapture> packetCaptures = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<FaultInjection> faultInjections = List.of();

  @Reference(
      target = LocalServices.ONLY,
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  private volatile @Nullable ByAddress byAddress; // has no type of ib.cm, which may be absent

  /**
   * Called by DS.
   *
   * @param core the core
   */
  @Activate
  public PerftestCommands(@Reference(target = LocalServices.ONLY) IbCore core) {
    this.core = core;
  }

  private @Nullable Object run(Tool tool, CommandSession session, String... args) {
    Midlayer here = new Midlayer(core, byAddress);
    WarmUp warmUp = new WarmUp(faultInjections, packetCaptures);
    PrintStream out = IbCommands.out(session);
    return Invocation.run(
        () -> Perftest.run(here, warmUp, tool, out, IbCommands.err(session), args));
  }

  /**
   * Measures the bandwidth of sends.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("bandwidth of sends, as perftest's; without a host the server")
  public @Nullable Object ib_send_bw(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.SEND_BW, session, args);
  }

  /**
   * Measures the latency of sends.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("latency of sends, as perftest's; without a host the server")
  public @Nullable Object ib_send_lat(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.SEND_LAT, session, args);
  }

  /**
   * Measures the bandwidth of RDMA writes.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("bandwidth of RDMA writes, as perftest's; without a host the server")
  public @Nullable Object ib_write_bw(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.WRITE_BW, session, args);
  }

  /**
   * Measures the latency of RDMA writes.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("latency of RDMA writes, as perftest's; without a host the server")
  public @Nullable Object ib_write_lat(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.WRITE_LAT, session, args);
  }

  /**
   * Measures the bandwidth of RDMA reads.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("bandwidth of RDMA reads, as perftest's; without a host the server")
  public @Nullable Object ib_read_bw(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.READ_BW, session, args);
  }

  /**
   * Measures the latency of RDMA reads.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("latency of RDMA reads, as perftest's; without a host the server")
  public @Nullable Object ib_read_lat(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.READ_LAT, session, args);
  }

  /**
   * Measures the bandwidth of atomics.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("bandwidth of atomics, as perftest's; without a host the server")
  public @Nullable Object ib_atomic_bw(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.ATOMIC_BW, session, args);
  }

  /**
   * Measures the latency of atomics.
   *
   * @param session the shell's
   * @param args see {@link Perftest}
   * @return the value
   */
  @Descriptor("latency of atomics, as perftest's; without a host the server")
  public @Nullable Object ib_atomic_lat(
      CommandSession session, @Descriptor("[-d dev] [options] [host]") String... args) {
    return run(Tool.ATOMIC_LAT, session, args);
  }
}
