package ib.cm.internal.port;

import ib.cm.CmClient;
import ib.cm.CmPort;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connection manager of a midlayer: the devices that it was added to. */
public class Devices implements CmClient {
  private final List<Ports> devices = new ArrayList<>(); // guarded by itself

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Object add(IbDevice device) {
    Ports ports = new Ports(device);
    synchronized (devices) {
      devices.add(ports);
    }
    return ports;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof Ports ports) {
      synchronized (devices) {
        devices.remove(ports);
      }
      ports.remove();
    }
  }

  @Override
  public CmPort open(String device, int port) {
    return find(device).open(port);
  }

  private Ports find(String name) {
    synchronized (devices) {
      return devices.stream()
          .filter(each -> each.device().name().equals(name))
          .findFirst()
          .orElseThrow(
              () -> new IbNoDeviceException("ib.cm", "no device " + name, "see ib:devices"));
    }
  }
}
