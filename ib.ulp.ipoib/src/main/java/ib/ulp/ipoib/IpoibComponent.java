package ib.ulp.ipoib;

import ib.cm.CmClient;
import ib.core.client.IbClient;
import ib.core.client.LocalServices;
import ib.core.sa.SaClient;
import ib.core.verbs.IbDevice;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.tap.TapBackend;
import ib.ulp.ipoib.tap.TunHost;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Reference;

/**
 * The bundle's component: a client of the core while the bundle is configured. A changed
 * configuration withdraws the client service, which closes all interfaces, and registers it again.
 */
@Component(
    name = IpoibComponent.PID,
    service = IbClient.class,
    property = IbClient.AFTER + "=" + CmClient.NAME,
    configurationPolicy = ConfigurationPolicy.REQUIRE)
public final class IpoibComponent implements IbClient {
  /** The PID of the configuration, {@link IpoibKeys}. */
  static final String PID = "ib.ulp.ipoib";

  private final IpoibConfig config;

  /** The interfaces. */
  final Ipoib ipoib;

  /**
   * Reads the configuration; the core's {@link #add} calls open the interfaces.
   *
   * @param cm the connection manager
   * @param values the configuration
   */
  @Activate
  public IpoibComponent(
      @Reference(target = LocalServices.ONLY) CmClient cm, Map<String, ?> values) {
    config = IpoibConfig.read(values);
    ipoib =
        new Ipoib(
            cm, config.link(), config.children(), config.names(), SaClient::open, backends(config));
  }

  private static Backend.Factory backends(IpoibConfig config) {
    return switch (config.stacks()) {
      case JVM -> name -> Backend.inJvm(config.probes());
      case TAP -> name -> TapBackend.open(name, config.queues());
      case TUN -> name -> TapBackend.tun(name, config.probes(), config.queues());
    };
  }

  private static @Nullable NetIf stack(NetDevice device) {
    return switch (device.host()) {
      case NetIf stack -> stack;
      case TunHost tun -> tun.below();
      default -> null;
    };
  }

  @Override
  public String name() {
    return ipoib.name();
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    Object data = ipoib.add(device);
    for (NetDevice each : ipoib.interfaces()) {
      NetIf stack = stack(each);
      if (stack != null && each.isOn(device)) {
        String name = each.name();
        config
            .gateways()
            .getOrDefault(name, List.of())
            .forEach(net -> stack.gateway(net.address()));
        config
            .addresses()
            .getOrDefault(name, List.of())
            .forEach(net -> stack.address(net.address(), net.prefix()));
      }
    }
    return data;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    ipoib.remove(device, clientData);
  }
}
