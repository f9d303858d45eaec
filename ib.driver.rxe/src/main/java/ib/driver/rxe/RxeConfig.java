package ib.driver.rxe;

import ib.core.spi.FaultRule;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.driver.base.DeviceConfig;
import ib.driver.rxe.udp.UdpOptions;
import ib.engine.link.GuardLimits;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A valid device configuration; only {@link RxeReader} creates it from raw values.
 *
 * @param name device name
 * @param interfaceName network interface whose addresses the device has; empty if {@code addresses}
 *     are configured
 * @param addresses addresses of the device; empty if an interface is configured
 * @param guid node GUID; if it was not configured, the EUI-64 of the interface's Ethernet address
 *     replaces it
 * @param guidGiven whether the node GUID was configured
 * @param mtu the largest active MTU
 * @param pkeys P_Key table, 16 bits each
 * @param window unacknowledged packets of one queue pair at most
 * @param guard how many violations of one source are tolerated
 * @param compVectors completion vectors, at least 1
 * @param faults standing fault rules
 * @param faultSeed seed of the random faults; empty for a random seed
 * @param udp configuration of the sockets
 * @param limits device limits as {@code ibv_devinfo -v} shows them
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
