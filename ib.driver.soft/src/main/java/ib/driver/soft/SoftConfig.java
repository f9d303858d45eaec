package ib.driver.soft;

import ib.core.spi.FaultRule;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.driver.base.DeviceConfig;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A valid device configuration; {@link ConfigReader} is the only way from raw values to it.
 *
 * @param name device name
 * @param switchName the switch that all ports are cabled to
 * @param guid node GUID; port {@code n} has {@code guid + n}
 * @param compVectors completion vectors, at least 1
 * @param mtu active MTU of all ports
 * @param linkUp per port, from port 1: whether the cable is in
 * @param pkeys the P_Key table of all ports, 16 bits each
 * @param faults standing fault rules
 * @param faultSeed where the chance of faults begins, empty for anywhere
 * @param limits what {@code ibv_devinfo -v} shows
 */
record SoftConfig(
    String name,
    String switchName,
    long guid,
    int compVectors,
    Mtu mtu,
    List<Boolean> linkUp,
    List<Integer> pkeys,
    List<FaultRule> faults,
    OptionalLong faultSeed,
    Map<Limit, Integer> limits)
    implements DeviceConfig<SoftConfig> {

  /** Copies the collections. */
  SoftConfig {
    linkUp = List.copyOf(linkUp);
    pkeys = List.copyOf(pkeys);
    faults = List.copyOf(faults);
    limits = Map.copyOf(limits);
  }

  int ports() {
    return linkUp.size();
  }

  @Override
  public boolean liveChangeOf(SoftConfig running) {
    return ports() == running.ports()
        && equals(
            new SoftConfig(
                running.name,
                running.switchName,
                running.guid,
                running.compVectors,
                running.mtu,
                linkUp,
                pkeys,
                faults,
                faultSeed,
                running.limits));
  }

  @Override
  public boolean sharesGuidWith(SoftConfig other) {
    return guid <= other.guid + other.ports() && other.guid <= guid + ports();
  }
}
