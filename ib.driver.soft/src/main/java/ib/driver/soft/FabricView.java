package ib.driver.soft;

import ib.core.mad.smp.SmpAttribute;
import ib.core.spi.SubnetView;
import ib.driver.soft.fabric.FabricPort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The subnet as it is seen from the ports of one device.
 *
 * @param device name of the device
 * @param wires the device's ports in the order of their numbers
 */
record FabricView(String device, List<FabricPort> wires) implements SubnetView {
  @Override
  public Optional<MemorySegment> read(
      int port, List<Integer> hops, SmpAttribute attribute, int modifier) {
    return Optional.ofNullable(wires.get(port - 1).read(hops, attribute, modifier));
  }
}
