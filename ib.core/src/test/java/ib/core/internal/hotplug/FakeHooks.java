package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.NodeType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;

/** A device without hardware: remembers what was done to it, in order. */
class FakeHooks implements DeviceHooks, EventGate {
  final DeviceInfo info;
  final List<String> log = new ArrayList<>();
  final List<Handle> handles = new ArrayList<>();
  final Sync sync;
  RuntimeException probeFailure;
  Runnable inProbe = () -> {};
  Runnable inDrain = () -> {};
  boolean open;
  boolean gone;
  DeviceInfo identity;

  FakeHooks(Sync sync, String name, long guid) {
    this.sync = sync;
    info = new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "fake");
    identity = info;
  }

  @Override
  public void probe() {
    log.add("probe");
    sync.step();
    inProbe.run();
    if (probeFailure != null) {
      throw probeFailure;
    }
  }

  @Override
  public void identify(DeviceInfo now) {
    identity = now;
  }

  @Override
  public BoundHandle bind(String owner, long sequence) {
    Handle h = new Handle(this, owner);
    handles.add(h);
    return h;
  }

  @Override
  public EventGate events() {
    return this;
  }

  @Override
  public void open() {
    log.add("open");
    open = true;
  }

  @Override
  public void close() {
    log.add("close");
    open = false;
  }

  @Override
  public void drain() {
    log.add("drain");
    sync.step();
    inDrain.run();
  }

  @Override
  public List<LeakRecord> gone() {
    log.add("gone");
    gone = true;
    return List.of();
  }

  /** A handle through which objects are made by name. */
  static final class Handle extends IbDevice implements BoundHandle {
    final FakeHooks device;
    final String owner;
    final List<String> objects = new ArrayList<>();
    boolean poisoned;
    int sweeps;
    Runnable inSweep = () -> {};

    Handle(FakeHooks device, String owner) {
      this.device = device;
      this.owner = owner;
    }

    void make(String object) {
      if (poisoned) {
        throw new IllegalStateException("poisoned handle of " + owner);
      }
      objects.add(object);
    }

    @Override
    public IbDevice device() {
      return this;
    }

    @Override
    public List<String> held() {
      return List.copyOf(objects);
    }

    @Override
    public List<LeakRecord> sweepAndPoison() {
      sweeps++;
      poisoned = true;
      inSweep.run();
      device.sync.step();
      List<LeakRecord> leaks = new ArrayList<>();
      for (String o : objects) {
        leaks.add(new LeakRecord(owner, device.identity.name(), o, 0, "t", List.of(), List.of()));
      }
      objects.clear();
      return leaks;
    }

    @Override
    public DeviceInfo info() {
      return device.identity;
    }

    @Override
    public DeviceAttr attrs() {
      throw new UnsupportedOperationException();
    }

    @Override
    public PortAttr queryPort(int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public PortAttr port(int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Gid gid(int port, int index) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int pkey(int port, int index) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void modifyPort(int port, PortModify change) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void registerEventHandler(IbEventHandler handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void unregisterEventHandler(IbEventHandler handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected ObjectControl control() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected ProtectionDomain doAllocPd(ObjectControl control) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected CompletionQueue doCreateCq(ObjectControl control, CqInit init) {
      throw new UnsupportedOperationException();
    }
  }
}
