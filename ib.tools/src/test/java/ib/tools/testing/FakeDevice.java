package ib.tools.testing;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NodeType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A device that answers queries from tables and passes events on at once. */
public final class FakeDevice extends IbDevice {
  private final DeviceInfo info;
  private final DeviceAttr attr;
  private final List<PortAttr> ports;
  private final Map<Integer, Gid> gids = new TreeMap<>();
  public final List<IbEventHandler> handlers = new CopyOnWriteArrayList<>();

  /** A device with the same GIDs on all ports. */
  public FakeDevice(String name, int index, DeviceAttr attr, List<PortAttr> ports, Gid... gids) {
    this.info =
        new DeviceInfo(
            name, index, NodeType.CA, attr.nodeGuid(), attr.sysImageGuid(), ports.size(), "fake");
    this.attr = attr;
    this.ports = ports;
    for (int i = 0; i < gids.length; i++) {
      this.gids.put(i, gids[i]);
    }
  }

  /** Lets the handlers hear an event, here and now. */
  public void raise(IbEvent event) {
    handlers.forEach(h -> h.handle(event));
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public DeviceAttr attrs() {
    return attr;
  }

  @Override
  public PortAttr queryPort(int port) {
    if (port < 1 || port > ports.size()) {
      throw new IbInvalidException("queryPort", "port " + port, "1 to " + ports.size());
    }
    return ports.get(port - 1);
  }

  @Override
  public PortAttr port(int port) {
    return queryPort(port);
  }

  @Override
  public Gid gid(int port, int index) {
    return gids.getOrDefault(index, Gid.ZERO);
  }

  @Override
  public int pkey(int port, int index) {
    return index == 0 ? 0xffff : 0;
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void registerEventHandler(IbEventHandler handler) {
    handlers.add(handler);
  }

  @Override
  public void unregisterEventHandler(IbEventHandler handler) {
    handlers.remove(handler);
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
