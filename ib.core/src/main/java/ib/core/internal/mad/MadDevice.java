package ib.core.internal.mad;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.device.Services;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadRegistration;
import ib.core.serial.Waits;
import ib.core.verbs.IbDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The MAD layer of one device: a wire and a port each. */
final class MadDevice implements Services.Mad {
  private static final long SEND_NS = TimeUnit.SECONDS.toNanos(1); // for all; then the rest is lost

  private final List<MadPort> ports = new ArrayList<>();
  private final List<QpWire> wires = new ArrayList<>();
  private final Waits waits;

  MadDevice(BoundDevice device, Threads world, Contract contract, Waits waits) {
    this.waits = waits;
    for (int p = 1; p <= device.portCount(); p++) {
      QpWire wire = new QpWire(device, p, contract);
      wires.add(wire);
      String name = device.name() + "/" + p;
      ports.add(new MadPort(name, wire, world, contract, waits, world.incidents));
    }
  }

  void start() {
    for (int i = 0; i < ports.size(); i++) {
      wires.get(i).start(ports.get(i));
    }
  }

  @Override
  public MadAgent register(IbDevice owner, int port, MadRegistration what, MadHandler handler) {
    BoundDevice bound = (BoundDevice) owner;
    Agent agent = ports.get(port - 1).register(bound, what, handler);
    bound.owner().lent(agent, agent.toString());
    return agent;
  }

  @Override
  public void close(IbDevice owner) {
    ports.forEach(p -> p.close(owner));
  }

  @Override
  public Map<String, Long> counters(int port) {
    return port < 1 || port > ports.size() ? Map.of() : ports.get(port - 1).counters.named();
  }

  /**
   * Ends what agents are left, sends what they have given to the ports, then ends queue pairs, then
   * what the ports' queues have, then memory. A user with more to say at its end than a port has
   * places, such as 1,000 connections, is heard.
   */
  void close() {
    ports.forEach(p -> p.close(null));
    ports.forEach(p -> p.fence(owed -> {}));
    waits.await(new AllSent(wires), Waits.Rank.CLOSES, SEND_NS);
    wires.forEach(QpWire::stop);
    ports.forEach(p -> p.fence(owed -> {}));
    wires.forEach(QpWire::close);
  }

  /** The device sends what waits, without a thread that could be named. */
  private record AllSent(List<QpWire> wires) implements Waits.Target {
    @Override
    public boolean over() {
      return wires.stream().allMatch(QpWire::isIdle);
    }

    @Override
    public void holders(Consumer<? super Thread> to) {}

    @Override
    public String text() {
      return "the datagrams that the device's ports still send";
    }
  }
}
