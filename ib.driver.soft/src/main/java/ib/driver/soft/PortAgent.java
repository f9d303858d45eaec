package ib.driver.soft;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import ib.driver.soft.topology.Adapter;
import ib.engine.port.HcaPort;
import java.util.Map;
import java.util.Set;

/** The engine's port as the agents of its node change it. */
final class PortAgent implements Adapter {
  private final HcaPort port;

  PortAgent(HcaPort port) {
    this.port = port;
  }

  @Override
  public void lid(int lid, int lmc) {
    port.lid(lid, lmc);
  }

  @Override
  public void sm(int lid, int sl) {
    port.update(b -> b.smLid(lid).smSl(sl));
  }

  @Override
  public void state(PortState state, PhysState phys) {
    port.state(state, phys);
  }

  @Override
  public void pkeys(int[] table) {
    port.pkeys(table);
  }

  @Override
  public void gid(int index, long prefix, long guid) {
    port.gid(index, guid == 0 ? Gid.ZERO : new Gid(prefix, guid));
  }

  @Override
  public void mtu(Mtu mtu) {
    port.update(b -> b.activeMtu(mtu));
  }

  @Override
  public void link(int width, int speed) {
    port.update(b -> b.activeWidth(width).activeSpeed(speed));
  }

  @Override
  public void reregister() {
    port.clientReregister();
  }

  @Override
  public int capabilities() {
    return port.attr().capFlags();
  }

  @Override
  public int badPkeys() {
    return port.attr().badPkeyCounter();
  }

  @Override
  public int badQkeys() {
    return port.attr().qkeyViolationCounter();
  }

  @Override
  public Map<PortCounter, Long> counters(PortCounter.Form form) {
    return port.counters(form);
  }

  @Override
  public void resetCounters(PortCounter.Form form, Set<PortCounter> which) {
    port.resetCounters(form, which);
  }
}
