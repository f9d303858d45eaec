package ib.health;

import ib.core.verbs.MaySleep;
import java.util.List;

/** A service that says how devices, clients and bundles are doing. Any thread may call. */
public interface Health {
  /** The names of the checks, in their order. */
  List<String> CHECKS = List.of("devices", "ports", "clients", "events", "contract", "bundles");

  /**
   * Looks at everything that can be wrong. Asks devices for the state of their ports, so it may
   * block.
   *
   * @return at least one finding for each of {@link #CHECKS}, in their order
   */
  @MaySleep
  List<Finding> examine();

  /**
   * Reads all counters and states, and writes them in the text format of Prometheus, version 0.0.4:
   *
   * <ul>
   *   <li>{@code ib_device_info}: 1 for each device, with its driver, node GUID and firmware;
   *   <li>{@code ib_port_active}: 1 for an active port, else 0;
   *   <li>{@code ib_port_bytes_total}, {@code ib_port_packets_total}: by direction, {@code xmit} or
   *       {@code rcv}; they begin again at 0 when {@code perfquery} resets them;
   *   <li>{@code ib_port_counter_total}: by the name that {@code rdma statistic} shows;
   *   <li>{@code ib_port_mad_total}: management datagrams, by the same names;
   *   <li>{@code ib_events_total}: by what became of them, see {@code ib:events};
   *   <li>{@code ib_objects}: live objects by kind;
   *   <li>{@code ib_client_bindings}: devices of clients by state;
   *   <li>{@code ib_violations}: broken clauses, by clause and by the bundle that broke it.
   * </ul>
   *
   * @return the text; a device that leaves meanwhile may be missing from some of it
   */
  @MaySleep
  String writeMetrics();
}
