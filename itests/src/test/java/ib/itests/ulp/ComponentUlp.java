package ib.itests.ulp;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import java.util.Map;
import java.util.function.Consumer;
import org.osgi.framework.BundleContext;

/** A client that the SCR makes and ends; says so, and does what {@link RecordingUlp} does. */
public final class ComponentUlp implements IbClient {
  private String name = "";
  private Consumer<String> log = line -> {};
  private IbClient inner = new RecordingUlp(name, log);

  /** For the SCR. */
  public ComponentUlp() {}

  void activate(BundleContext context, Map<String, Object> properties) throws Exception {
    name = (String) properties.get("ulp.name");
    log = UlpActivator.log(context);
    inner = new RecordingUlp(name, log);
    log.accept("activate " + name);
  }

  void deactivate() {
    log.accept("deactivate " + name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Object add(IbDevice device) {
    return inner.add(device);
  }

  @Override
  public void remove(IbDevice device, Object clientData) {
    inner.remove(device, clientData);
  }
}
