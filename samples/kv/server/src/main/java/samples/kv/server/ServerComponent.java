package samples.kv.server;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import samples.kv.api.KeyValueServer;

/**
 * The server in OSGi. The core adds and removes the device; while it is there, {@link
 * KeyValueServer} is a service, and clients come and go with it.
 */
@Component(name = "samples.kv.server", service = IbClient.class)
public final class ServerComponent implements IbClient {
  /** The keys of {@code conf/samples.kv.server.cfg}; the file need not exist. */
  public @interface Config {
    /** {@return the name of the device} */
    String device() default "soft0";

    /** {@return how many buckets the table has, 1 to {@link Table#MAX_BUCKETS}} */
    int buckets() default 4096;
  }

  private record Life(Server server, ServiceRegistration<KeyValueServer> service) {}

  private final BundleContext context;
  private final String device;
  private final Table table;

  @Activate
  public ServerComponent(BundleContext context, Config config) {
    this.context = context;
    device = config.device();
    table = new Table(config.buckets());
  }

  @Override
  public String name() {
    return "kv-server";
  }

  @Override
  public boolean supports(DeviceInfo info) {
    return info.name().equals(device);
  }

  @Override
  public Object add(IbDevice handle) {
    Server server = new Server(handle, table);
    ServiceRegistration<KeyValueServer> service = null;
    try {
      service = context.registerService(KeyValueServer.class, server, null);
    } finally {
      if (service == null) {
        server.close();
      }
    }
    return new Life(server, service);
  }

  /** First the service goes, so that clients leave; then what is left is closed. */
  @Override
  public void remove(IbDevice handle, Object clientData) {
    Life life = (Life) clientData;
    try {
      life.service.unregister();
    } finally {
      life.server.close();
    }
  }
}
