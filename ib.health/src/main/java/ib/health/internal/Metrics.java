package ib.health.internal;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes what the midlayer counts in the text format of Prometheus. See {@link
 * ib.health.Health#writeMetrics} for what there is.
 *
 * @param core the midlayer
 */
record Metrics(IbCore core) {
  private static final int OCTETS = 4; // in a unit of PortXmitData

  String write() {
    PrometheusText text = new PrometheusText();
    text.declare("ib_device_info", "gauge", "1 for each device");
    text.declare("ib_port_active", "gauge", "1 for an active port");
    text.declare("ib_port_bytes_total", "counter", "Data that the port has sent or received");
    text.declare("ib_port_packets_total", "counter", "Packets that the port has sent or received");
    text.declare("ib_port_counter_total", "counter", "Counters of rdma statistic");
    text.declare("ib_port_mad_total", "counter", "Management datagrams");
    text.declare("ib_events_total", "counter", "Asynchronous events, by what became of them");
    text.declare("ib_objects", "gauge", "Live objects");
    text.declare("ib_client_bindings", "gauge", "Devices of clients, by the state of both");
    text.declare("ib_violations", "gauge", "Broken clauses of the contract");
    for (DeviceInfo info : core.devices()) {
      try {
        device(text, info);
      } catch (IbException e) {
        continue; // it has left; what was written of it stays
      }
    }
    clients(text);
    core.violations().stream()
        .collect(
            Collectors.groupingBy(v -> Map.entry(v.clause(), v.culprit()), Collectors.counting()))
        .forEach(
            (which, n) ->
                text.sample(
                    "ib_violations", n, "clause", which.getKey(), "culprit", which.getValue()));
    return text.toString();
  }

  private void device(PrometheusText text, DeviceInfo info) {
    String name = info.name();
    IbDevice device = core.device(name).orElse(null);
    if (device == null) {
      return;
    }
    text.sample(
        "ib_device_info",
        1,
        "device",
        name,
        "driver",
        info.driver(),
        "node_guid",
        String.format("%016x", info.nodeGuid()),
        "fw",
        device.attrs().fwVer());
    for (int port = 1; port <= info.portCount(); port++) {
      port(text, device, port);
    }
    core.eventCounters(name)
        .forEach((what, n) -> text.sample("ib_events_total", n, "device", name, "outcome", what));
    core.resources().stream()
        .filter(r -> r.device().equals(name))
        .collect(Collectors.groupingBy(r -> r.kind().name(), TreeMap::new, Collectors.counting()))
        .forEach((kind, n) -> text.sample("ib_objects", n, "device", name, "kind", kind));
  }

  private void port(PrometheusText text, IbDevice device, int port) {
    String name = device.name();
    String number = String.valueOf(port);
    PortState state = device.queryPort(port).state();
    boolean active = state == PortState.ACTIVE || state == PortState.ACTIVE_DEFER;
    text.sample("ib_port_active", active ? 1 : 0, "device", name, "port", number);
    Map<PortCounter, Long> traffic = core.portCounters(name, port, PortCounter.Form.EXTENDED);
    traffic.forEach(
        (counter, n) -> {
          switch (counter) {
            case XMIT_DATA -> flow(text, "ib_port_bytes_total", name, number, "xmit", n * OCTETS);
            case RCV_DATA -> flow(text, "ib_port_bytes_total", name, number, "rcv", n * OCTETS);
            case XMIT_PKTS -> flow(text, "ib_port_packets_total", name, number, "xmit", n);
            case RCV_PKTS -> flow(text, "ib_port_packets_total", name, number, "rcv", n);
            default -> {} // rdma statistic has them too
          }
        });
    core.counters(name, port)
        .forEach((what, n) -> counter(text, "ib_port_counter_total", name, number, what, n));
    core.managementCounters(name, port)
        .forEach((what, n) -> counter(text, "ib_port_mad_total", name, number, what, n));
  }

  private static void flow(
      PrometheusText text, String metric, String device, String port, String way, long n) {
    text.sample(metric, n, "device", device, "port", port, "direction", way);
  }

  private static void counter(
      PrometheusText text, String metric, String device, String port, String what, long n) {
    text.sample(metric, n, "device", device, "port", port, "counter", what);
  }

  private void clients(PrometheusText text) {
    for (ClientStatus client : core.clients()) {
      for (ClientStatus.Binding b : client.bindings()) {
        String state = b.state().name();
        text.sample(
            "ib_client_bindings", 1, "client", client.name(), "device", b.device(), "state", state);
      }
    }
  }
}
