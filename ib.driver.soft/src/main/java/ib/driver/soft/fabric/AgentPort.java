package ib.driver.soft.fabric;

import ib.engine.wire.Packet;
import ib.engine.wire.PortAround;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;

/**
 * Takes management datagrams out of the packets for an adapter's port, behind capture and faults.
 */
final class AgentPort extends PortAround {
  private final FabricPort end;

  AgentPort(WirePort port, FabricPort end) {
    super(port);
    this.end = end;
  }

  @Override
  public void receive(Packet packet, RunContext run) {
    end.passed(packet.damaged);
    if (packet.destQpn > 1 || packet.damaged) {
      port.receive(packet, run);
    } else {
      end.arrived(packet, run);
    }
  }
}
