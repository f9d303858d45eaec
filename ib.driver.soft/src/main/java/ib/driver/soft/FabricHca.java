package ib.driver.soft;

import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import ib.core.verbs.PortModify;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.FabricPort;
import ib.engine.SoftHca;
import ib.engine.port.HcaObserver;
import ib.engine.qp.HcaConfig;
import ib.engine.wire.Wire;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The engine, and the agents of the node for datagrams to itself (M8). */
final class FabricHca extends SoftHca {
  private final List<FabricPort> ends;

  FabricHca(HcaConfig config, List<Wire> wires, HcaObserver observer, List<FabricPort> ends) {
    super(config, wires, observer);
    this.ends = ends;
  }

  @Override
  public MadVerdict processMad(int port, MadSource source, MemorySegment in, MemorySegment out) {
    FabricPort end = ends.get(port - 1);
    MemorySegment answer = end.answer(in, source.slid());
    if (answer == null) {
      boolean taken =
          source.local() && end.subnet().offer(end.place(), Datagram.toItself(in, source));
      return taken ? MadVerdict.CONSUMED : MadVerdict.PASS;
    }
    out.copyFrom(answer);
    return MadVerdict.REPLY;
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    ends.get(port - 1).change(() -> super.modifyPort(port, change));
  }
}
