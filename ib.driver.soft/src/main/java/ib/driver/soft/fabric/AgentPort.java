package ib.driver.soft.fabric;

import ib.core.wire.DropReason;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;
import org.jspecify.annotations.Nullable;

/**
 * Takes management datagrams out of the packets for an adapter's port, behind capture and faults.
 */
final class AgentPort implements WirePort {
  private final WirePort port;
  private final FabricPort end;

  AgentPort(WirePort port, FabricPort end) {
    this.port = port;
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

  @Override
  public void dropped(DropReason reason) {
    port.dropped(reason);
  }

  @Override
  public void captureDropped() {
    port.captureDropped();
  }

  @Override
  public @Nullable WirePort direct() {
    return port.direct();
  }

  @Override
  public int number() {
    return port.number();
  }

  @Override
  public int lid() {
    return port.lid();
  }

  @Override
  public boolean active() {
    return port.active();
  }
}
