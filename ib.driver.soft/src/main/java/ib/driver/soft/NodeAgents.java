package ib.driver.soft;

import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import ib.core.verbs.EventType;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.FabricPort;
import ib.engine.port.HcaObserver;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The agents of the node, which the engine asks about datagrams to the node itself (M8).
 *
 * @param device hears the events
 * @param ends of the ports, in their order
 */
record NodeAgents(HcaObserver device, List<FabricPort> ends) implements HcaObserver {
  @Override
  public void event(EventType type, int port) {
    device.event(type, port);
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
  public void change(int port, Runnable change) {
    ends.get(port - 1).change(change);
  }
}
