package ib.driver.rxe;

import ib.core.spi.FaultRule;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.driver.base.DeviceConfig;
import ib.driver.rxe.udp.UdpOptions;
import ib.engine.qp.GuardLimits;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A valid device configuration; {@link RxeReader} is the only way from raw values to it.
 *
 * @param name device name
 * @param interfaceName network interface whose addresses the device has; empty for none
 * @param addresses the addresses of the device when there is no interface
 * @param guid node GUID, of which that of the interface's Ethernet address takes the place when it
 *     was not given
 * @param guidGiven whether it was given
 * @param mtu the active MTU is this at most
 * @param pkeys the P_Key table, 16 bits each
 * @param window unacknowledged packets of one queue pair
 * @param guard what is borne of a source that guesses
 * @param compVectors completion vectors, at least 1
 * @param faults standing fault rules
 * @param faultSeed where the chance of faults begins, empty for anywhere
 * @param udp how the sockets work
 * @param limits what {@code ibv_devinfo -v} shows
 */
record RxeConfig(
    String name,
    Optional<String> interfaceName,
    List<InetAddress> addresses,
    long guid,
    boolean guidGiven,
    Mtu mtu,
    List<Integer> pkeys,
    int window,
    GuardLimits guard,
    int compVectors,
    List<FaultRule> faults,
    OptionalLong faultSeed,
    UdpOptions udp,
    Map<Limit, Integer> limits)
    implements DeviceConfig<RxeConfig> {

  /** Copies the collections. */
  RxeConfig {
    addresses = List.copyOf(addresses);
    pkeys = List.copyOf(pkeys);
    faults = List.copyOf(faults);
    limits = Map.copyOf(limits);
  }

  @Override
  public boolean liveChangeOf(RxeConfig running) {
    return equals(
        new RxeConfig(
            running.name,
            running.interfaceName,
            running.addresses,
            running.guid,
            running.guidGiven,
            running.mtu,
            running.pkeys,
            running.window,
            running.guard,
            running.compVectors,
            faults,
            faultSeed,
            running.udp,
            running.limits));
  }

  @Override
  public boolean sharesGuidWith(RxeConfig other) {
    return guid == other.guid;
  }
}
