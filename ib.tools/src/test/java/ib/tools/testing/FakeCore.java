package ib.tools.testing;

import ib.core.client.ClientRegistration;
import ib.core.client.ClientStatus;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.client.ResourceRecord;
import ib.core.client.Violation;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.PortCounter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A midlayer of tables. Clients are added at once and removed by {@link #remove}. */
public final class FakeCore implements IbCore {
  public final List<FakeDevice> devices = new CopyOnWriteArrayList<>();
  public final List<ClientStatus> clients = new ArrayList<>();
  public final List<ResourceRecord> resources = new ArrayList<>();
  public final List<Violation> violations = new ArrayList<>();
  public final Map<String, Long> counters = new java.util.LinkedHashMap<>();
  public final Map<PortCounter, Long> portCounters = new EnumMap<>(PortCounter.class);
  public final List<String> resets = new ArrayList<>();
  public final Map<String, RemovalReport> removals = new HashMap<>();
  private final Map<IbClient, Map<FakeDevice, Object>> bound = new HashMap<>();

  /** Called with each client that was registered and added. */
  public Consumer<IbClient> whenRegistered = client -> {};

  /** A midlayer with these devices. */
  public FakeCore(FakeDevice... devices) {
    this.devices.addAll(List.of(devices));
  }

  /** Removes a device: its clients first. */
  public void remove(FakeDevice device) {
    bound.forEach(
        (client, data) -> {
          if (data.containsKey(device)) {
            client.remove(device, data.remove(device));
          }
        });
    devices.remove(device);
  }

  /** How many clients are registered. */
  public int registered() {
    return bound.size();
  }

  @Override
  public ClientRegistration registerClient(IbClient client, String... after) {
    Map<FakeDevice, Object> data = new HashMap<>();
    bound.put(client, data);
    for (FakeDevice d : devices) {
      if (client.supports(d.info())) {
        data.put(d, client.add(d));
      }
    }
    whenRegistered.accept(client);
    return new ClientRegistration() {
      @Override
      public void unregister() {
        bound.remove(client).forEach(client::remove);
      }

      @Override
      public void rebind() {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Override
  public List<DeviceInfo> devices() {
    return devices.stream().map(FakeDevice::info).toList();
  }

  @Override
  public Optional<IbDevice> device(String name) {
    return devices.stream().filter(d -> d.name().equals(name)).map(d -> (IbDevice) d).findFirst();
  }

  @Override
  public DeviceLease lease(String name, String holder) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<ClientStatus> clients() {
    return clients;
  }

  @Override
  public List<ResourceRecord> resources() {
    return resources;
  }

  @Override
  public Map<String, Long> counters(String device, int port) {
    if (device(device).isEmpty()) {
      throw new IbInvalidException("counters", device, "a device");
    }
    return counters;
  }

  @Override
  public Map<PortCounter, Long> portCounters(String device, int port, PortCounter.Form form) {
    counters(device, port);
    Map<PortCounter, Long> read = new EnumMap<>(PortCounter.class);
    for (PortCounter c : PortCounter.values()) {
      if (c.in(form)) {
        read.put(c, portCounters.getOrDefault(c, 0L));
      }
    }
    return read;
  }

  @Override
  public void resetPortCounters(
      String device, int port, PortCounter.Form form, Set<PortCounter> which) {
    resets.add(form + " " + port + " " + which.size());
    which.forEach(portCounters::remove);
  }

  @Override
  public Map<String, Long> eventCounters(String device) {
    if (device(device).isEmpty()) {
      throw new IbNoDeviceException("eventCounters " + device, "no such device", "ibv_devices");
    }
    return Map.of("dispatched", 7L);
  }

  @Override
  public Optional<RemovalReport> lastRemoval(String device) {
    return Optional.ofNullable(removals.get(device));
  }

  @Override
  public List<Violation> violations() {
    return violations;
  }

  @Override
  public void rename(String device, String newName) {
    throw new IbExistsException("rename " + device, newName + " is in use", "another name");
  }
}
