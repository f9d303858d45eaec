package ib.ulp.ipoib;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** The component of the command {@code ib:netif}; it is active even without a configuration. */
@Component(
    service = NetifComponent.class,
    property = {"osgi.command.scope=ib", "osgi.command.function=netif"})
public final class NetifComponent {
  @Reference(
      target = "(&(component.name=" + IpoibComponent.PID + ")" + LocalServices.ONLY + ")",
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC)
  private volatile @Nullable IbClient client;

  @Reference(
      target = LocalServices.ONLY,
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  private volatile @Nullable IbCore core;

  /** Creates the component; the references are bound separately. */
  @Activate
  public NetifComponent() {}

  /**
   * Shows interfaces and changes them.
   *
   * @param args see the usage that {@code ib:netif help} prints
   * @return the text for the shell
   */
  public String netif(String... args) {
    return client instanceof IpoibComponent configured
        ? NetifCommand.run(configured.ipoib, this::counters, args)
        : NetifCommand.unconfigured(args);
  }

  private Map<String, Long> counters(String device, int port) {
    IbCore now = core;
    return now == null ? Map.of() : now.counters(device, port);
  }
}
