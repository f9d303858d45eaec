package ib.tools.diags;

import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import ib.tools.fabric.Counted;
import java.util.Map;

/**
 * The counters of a device of this runtime, from the core, without a datagram.
 *
 * @param core the midlayer
 * @param device the device
 */
record OwnCounters(IbCore core, DeviceInfo device) implements Counted {
  @Override
  public String name() {
    return device.name();
  }

  @Override
  public int ports() {
    return device.portCount();
  }

  @Override
  public int lid(int port) {
    return core.device(name()).map(i -> i.port(port).lid()).orElse(0);
  }

  @Override
  public int capMask() {
    return 0x1200; // extended width, PortXmitWait
  }

  @Override
  public Map<PortCounter, Long> read(int port, Form form) {
    return core.portCounters(name(), port, form);
  }

  @Override
  public void reset(int port, Form form, int mask) {
    core.resetPortCounters(name(), port, form, PortCounter.selected(form, mask));
  }

  @Override
  public void close() {}
}
