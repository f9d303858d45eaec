package ib.itests.ulp;

import ib.core.client.IbClient;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.List;
import java.util.function.Consumer;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * Registers the client that the bundle's headers ask for: {@code Ulp-Name}, {@code Ulp-Kind},
 * {@code Ulp-After}.
 */
public final class UlpActivator implements BundleActivator {
  /** Service property of the {@code Consumer<String>} that hears what clients are told. */
  public static final String LOG = "ib.itests.log";

  @Override
  public void start(BundleContext context) throws Exception {
    Dictionary<String, String> headers = context.getBundle().getHeaders();
    String name = headers.get("Ulp-Name");
    Consumer<String> log = log(context);
    IbClient client =
        switch (headers.get("Ulp-Kind")) {
          case "recording" -> new RecordingUlp(name, log);
          case "traffic" -> new TrafficUlp(name, log);
          case "leaking" -> new LeakingUlp(name, log);
          case "failing" -> new FailingUlp(name, log);
          default -> throw new IllegalArgumentException(headers.get("Ulp-Kind"));
        };
    Hashtable<String, Object> properties = new Hashtable<>();
    if (headers.get("Ulp-After") != null) {
      properties.put(IbClient.AFTER, List.of(headers.get("Ulp-After").split(",")));
    }
    context.registerService(IbClient.class, client, properties);
  }

  @Override
  public void stop(BundleContext context) {
    // the framework unregisters the client: the core's fence holds this stop until it is off all
    // devices
  }

  @SuppressWarnings("unchecked")
  static Consumer<String> log(BundleContext context) throws Exception {
    for (ServiceReference<?> r :
        context.getServiceReferences(Consumer.class, "(" + LOG + "=true)")) {
      return (Consumer<String>) context.getService(r);
    }
    return line -> {};
  }
}
