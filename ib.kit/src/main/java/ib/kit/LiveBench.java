package ib.kit;

import ib.core.client.IbCore;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.opentest4j.TestAbortedException;

/** Two devices of a driver that runs in a framework already, with the slots that it offers. */
final class LiveBench implements Bench {
  private static final long IPV4_MAPPED = 0xffffL;
  private static final int GIDS = 8;

  private final IbCore core;
  private final List<String> devices;
  private final Map<String, DeviceSlot> slots;

  LiveBench(IbCore core, List<String> devices, List<DeviceSlot> slots) {
    this.core = core;
    this.devices = List.copyOf(devices);
    this.slots = slots.stream().collect(Collectors.toMap(DeviceSlot::name, Function.identity()));
    for (String name : devices) {
      Await.until("device " + name + " at the midlayer", () -> core.device(name).isPresent());
    }
  }

  @Override
  public IbCore core() {
    return core;
  }

  @Override
  public List<String> devices() {
    return devices;
  }

  private DeviceSlot slot(String device) {
    DeviceSlot slot = slots.get(device);
    if (slot == null) {
      throw new TestAbortedException("the driver offers no DeviceSlot service for " + device);
    }
    return slot;
  }

  @Override
  public void unplug(String device) {
    slot(device).unplug();
  }

  @Override
  public void plug(String device) {
    slot(device).plug();
  }

  @Override
  public boolean administered() {
    return devices.stream()
        .allMatch(name -> core.device(name).map(d -> d.queryPort(1).smLid() != 0).orElse(false));
  }

  @Override
  public AhAttr path(IbDevice from, IbDevice to) {
    if (from.queryPort(1).linkLayer() == LinkLayer.INFINIBAND) {
      return Bench.super.path(from, to);
    }
    return AhAttr.ofGid(1, GlobalRoute.to(to.gid(1, index(to)), index(from)));
  }

  /** The index of the GID of an IPv4 address, if the port has one, or else 0. */
  private static int index(IbDevice device) {
    for (int i = 0; i < GIDS; i++) {
      Gid gid = device.gid(1, i);
      if (gid.high() == 0 && gid.low() >>> Integer.SIZE == IPV4_MAPPED) {
        return i;
      }
    }
    return 0;
  }

  @Override
  public AhAttr group() {
    IbDevice device = core.device(devices.getFirst()).orElseThrow();
    return device.queryPort(1).linkLayer() == LinkLayer.INFINIBAND
        ? Bench.super.group()
        : AhAttr.ofGid(1, GlobalRoute.to(Gid.parse("::ffff:239.1.2.3"), index(device)));
  }

  /** Plugs the devices anew, if that is possible, so that the next case meets fresh ones. */
  @Override
  public void close() {
    for (String name : devices) {
      DeviceSlot slot = slots.get(name);
      if (slot != null) {
        slot.unplug();
        slot.plug();
      }
    }
  }
}
