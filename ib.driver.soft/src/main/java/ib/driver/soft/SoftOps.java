package ib.driver.soft;

import ib.core.mad.MadSource;
import ib.core.spi.DeviceOps;
import ib.core.spi.MadVerdict;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.FabricPort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The engine's control path, and the agents of the node for datagrams to itself (M8). */
final class SoftOps implements DeviceOps {
  private final DeviceOps engine;
  private final List<FabricPort> wires;

  SoftOps(DeviceOps engine, List<FabricPort> wires) {
    this.engine = engine;
    this.wires = wires;
  }

  @Override
  public MadVerdict processMad(int port, MadSource source, MemorySegment in, MemorySegment out) {
    FabricPort wire = wires.get(port - 1);
    MemorySegment answer = wire.answer(in, source.slid());
    if (answer == null) {
      boolean taken =
          source.local() && wire.subnet().offer(wire.place(), Datagram.toItself(in, source));
      return taken ? MadVerdict.CONSUMED : MadVerdict.PASS;
    }
    out.copyFrom(answer);
    return MadVerdict.REPLY;
  }

  @Override
  public DeviceAttr queryDevice() {
    return engine.queryDevice();
  }

  @Override
  public PortAttr queryPort(int port) {
    return engine.queryPort(port);
  }

  @Override
  public Gid queryGid(int port, int index) {
    return engine.queryGid(port, index);
  }

  @Override
  public int queryPkey(int port, int index) {
    return engine.queryPkey(port, index);
  }

  @Override
  public long gidChanges(int port) {
    return engine.gidChanges(port);
  }

  @Override
  public long pkeyChanges(int port) {
    return engine.pkeyChanges(port);
  }

  @Override
  public ProtectionDomain allocPd(ObjectControl control) {
    return engine.allocPd(control);
  }

  @Override
  public CompletionQueue createCq(ObjectControl control, CqInit init) {
    return engine.createCq(control, init);
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    wires.get(port - 1).change(() -> engine.modifyPort(port, change));
  }

  @Override
  public Map<String, Long> counters(int port) {
    return engine.counters(port);
  }

  @Override
  public Map<PortCounter, Long> portCounters(int port, PortCounter.Form form) {
    return engine.portCounters(port, form);
  }

  @Override
  public void resetPortCounters(int port, PortCounter.Form form, Set<PortCounter> which) {
    engine.resetPortCounters(port, form, which);
  }
}
