package ib.core.internal.jmx;

import ib.core.spi.DeviceOps;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A device for JMX: an attribute for each counter of each port, {@code port1.sent_pkts} or {@code
 * port1.PortXmitData}, so that a console can plot them. Port counters are the 64-bit ones where
 * there are such.
 */
final class DeviceBean extends ReadOnlyBean {
  private final DeviceOps ops;
  private final int ports;

  DeviceBean(DeviceOps ops, int ports) {
    super("counters of an InfiniBand device");
    this.ops = ops;
    this.ports = ports;
  }

  /**
   * All counters of a port now.
   *
   * @param ops the device
   * @param port from 1
   * @return hardware counters, then port counters
   */
  static Map<String, Long> counters(DeviceOps ops, int port) {
    Map<String, Long> all = new LinkedHashMap<>(ops.counters(port));
    try {
      Map<PortCounter, Long> classic = ops.portCounters(port, Form.CLASSIC);
      Map<PortCounter, Long> extended = ops.portCounters(port, Form.EXTENDED);
      for (PortCounter c : PortCounter.values()) {
        Long value = c.in(Form.EXTENDED) ? extended.get(c) : classic.get(c);
        if (value != null) {
          all.put(c.label(), value);
        }
      }
    } catch (IbNotSupportedException e) {
      return all; // a driver without port counters
    }
    return all;
  }

  @Override
  Map<String, Long> read() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (int port = 1; port <= ports; port++) {
      String prefix = "port" + port + ".";
      counters(ops, port).forEach((name, value) -> all.put(prefix + name, value));
    }
    return all;
  }
}
