package ib.engine;

import ib.core.testing.TestControl;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.NodeType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A handle on a {@link SoftHca} without the core. */
public final class TestDevice extends IbDevice {
  public final SoftHca hca;
  private final DeviceInfo info;
  private final Queue<IbEvent> events =
      new ConcurrentLinkedQueue<>() {
        private static final long serialVersionUID = 1;

        @Override
        public boolean add(IbEvent event) {
          raised.run();
          return super.add(event);
        }
      };
  private final TestControl control = new TestControl(this, events);
  volatile Runnable raised = () -> {}; // in the thread that raises an event of an object

  public TestDevice(String name, SoftHca hca) {
    this.hca = hca;
    long guid = hca.queryDevice().nodeGuid();
    this.info =
        new DeviceInfo(name, 0, NodeType.CA, guid, guid, hca.queryDevice().physPortCount(), "test");
  }

  public Queue<IbEvent> events() {
    return control.events();
  }

  boolean heard(EventType type) {
    return control.events().stream().anyMatch(e -> e.type() == type);
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public DeviceAttr attrs() {
    return hca.queryDevice();
  }

  @Override
  public PortAttr queryPort(int port) {
    return hca.queryPort(port);
  }

  @Override
  public PortAttr port(int port) {
    return hca.queryPort(port);
  }

  @Override
  public Gid gid(int port, int index) {
    return hca.queryGid(port, index);
  }

  @Override
  public int pkey(int port, int index) {
    return hca.queryPkey(port, index);
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    hca.modifyPort(port, change);
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
    return control;
  }

  @Override
  protected ProtectionDomain doAllocPd(ObjectControl child) {
    return hca.allocPd(child);
  }

  @Override
  protected CompletionQueue doCreateCq(ObjectControl child, CqInit init) {
    return hca.createCq(child, init);
  }
}
