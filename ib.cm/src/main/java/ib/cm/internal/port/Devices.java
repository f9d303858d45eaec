package ib.cm.internal.port;

import ib.cm.CmClient;
import ib.cm.CmFailure;
import ib.cm.CmId;
import ib.cm.CmPort;
import ib.cm.LocalPorts;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The connection manager of a midlayer: the devices that it was added to. */
public class Devices implements CmClient {
  private final FailureBook failures = new FailureBook();
  private final List<Ports> devices = new CopyOnWriteArrayList<>();
  private final List<Supplier<List<CmId>>> programs = new CopyOnWriteArrayList<>();
  private final LocalPorts localPorts = new LocalPorts();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Object add(IbDevice device) {
    Ports ports = new Ports(device);
    devices.add(ports);
    return ports;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof Ports ports) {
      devices.remove(ports);
      ports.close();
    }
  }

  @Override
  public CmPort open(String device, int port, String program) {
    return devices.stream()
        .filter(each -> each.device.name().equals(device))
        .findFirst()
        .orElseThrow(
            () -> new IbNoDeviceException("ib.cm", "no device " + device, "see ib:devices"))
        .open(port, new Notes(this::failed, program, device));
  }

  @Override
  public List<CmId> ids() {
    return programs.stream().flatMap(p -> p.get().stream()).toList();
  }

  @Override
  public Listing list(Supplier<List<CmId>> program) {
    programs.add(program);
    return () -> programs.remove(program);
  }

  @Override
  public List<CmFailure> failures() {
    return failures.latest();
  }

  @Override
  public void failed(CmFailure failure) {
    failures.enter(failure);
  }

  @Override
  public LocalPorts localPorts() {
    return localPorts;
  }
}
