package ib.core.internal.device;

import ib.core.client.LeakRecord;
import ib.core.cm.Connector;
import ib.core.cm.ConnectorDevice;
import ib.core.internal.callback.Completions;
import ib.core.internal.event.HandlerOwner;
import ib.core.internal.restrack.ObjectRecord;
import ib.core.internal.restrack.Owner;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadPorts;
import ib.core.mad.MadRegistration;
import ib.core.sa.SaClient;
import ib.core.sa.SaPorts;
import ib.core.serial.WaitingDevice;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Fence;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One client's handle on one device (D2). Queries come from the caches, everything else goes to the
 * driver on the caller's thread; what is made belongs to the client. After {@link #sweepAndPoison}
 * the control path throws {@link ib.core.verbs.IbDisassociatedException}; queries of what is known
 * still answer.
 */
public final class BoundDevice extends IbDevice
    implements MadPorts, SaPorts, ConnectorDevice, WaitingDevice, HandlerOwner {
  private final DeviceParts parts;
  private final Owner owner;
  private final long graceNs;

  /**
   * Makes the handle of a client or lease holder.
   *
   * @param client its name, for introspection and reports
   * @param parts the device
   */
  public BoundDevice(String client, DeviceParts parts) {
    this(client, parts, Owner.GRACE_NS);
  }

  /**
   * Makes a handle whose sweep is less patient.
   *
   * @param client its name, for introspection and reports
   * @param parts the device
   * @param graceNs how long the sweep waits for one driver call or callback, nanoseconds
   */
  public BoundDevice(String client, DeviceParts parts, long graceNs) {
    this.parts = parts;
    this.graceNs = graceNs;
    this.owner = new Owner(client, this, parts.objects(), graceNs);
  }

  /**
   * The client's handle that a device is.
   *
   * @param device what the caller has
   * @param method what was attempted, for the error
   * @return the handle
   * @throws IbPermissionException when it is none, as the service object is
   */
  public static BoundDevice of(IbDevice device, String method) {
    if (device instanceof BoundDevice bound) {
      return bound;
    }
    throw IbPermissionException.notAHandle(device, method);
  }

  /**
   * Registers an agent that belongs to the client.
   *
   * @param port from 1
   * @param what QP, class, methods
   * @param handler hears requests
   * @return the agent
   */
  @MaySleep
  @Override
  public MadAgent registerAgent(int port, MadRegistration what, MadHandler handler) {
    control().enter("registerAgent");
    check("registerAgent", port);
    control().given(what, "registerAgent", "what");
    control().given(handler, "registerAgent", "handler");
    return lending(
        "registerAgent", () -> parts.services().mad(this).register(this, port, what, handler));
  }

  /**
   * Opens the way to the subnet administrator; it belongs to the client.
   *
   * @param port from 1
   * @return the client side
   */
  @MaySleep
  @Override
  public SaClient openSa(int port) {
    control().enter("openSa");
    check("openSa", port);
    return lending("openSa", () -> parts.services().sa(this).open(this, port));
  }

  @AnyContext
  @Override
  public Waits waits() {
    return parts.objects().waits();
  }

  @AnyContext
  @Override
  public Optional<Connector> connector() {
    return parts.driver().ops().connector();
  }

  /** Makes one of the things that a client has besides objects. */
  private <T> T lending(String method, Supplier<T> work) {
    return control().call(method, () -> owner.lending(work));
  }

  @Override
  @AnyContext
  public String client() {
    return owner.client();
  }

  /** {@return the account of the client} */
  public Owner owner() {
    return owner;
  }

  /** {@return the device's parts; for the built-in clients} */
  public DeviceParts parts() {
    return parts;
  }

  /** {@return what was made through the handle and is still there, for reports} */
  @AnyContext
  public List<String> held() {
    return owner.held();
  }

  /** Refuses the creation of objects through the handle. */
  @AnyContext
  void poison() {
    owner.poison();
  }

  /**
   * Ends the handle: fences all its callbacks, destroys what is left, users first, and poisons it
   * (S32, I4, CC-20). A second call finds nothing.
   *
   * @return what was left, event handlers included
   */
  @MaySleep
  @Fence
  public List<LeakRecord> sweepAndPoison() {
    owner.poison();
    parts.handlers().close(this, graceNs);
    parts.services().close(this);
    return owner.sweep();
  }

  @Override
  public DeviceInfo info() {
    return parts.driver().info();
  }

  @Override
  public DeviceAttr attrs() {
    return parts.attrs();
  }

  @Override
  public PortAttr queryPort(int port) {
    control().enter("queryPort");
    check("queryPort", port);
    return control().call("queryPort", () -> parts.driver().ops().queryPort(port));
  }

  @Override
  public PortAttr port(int port) {
    check("port", port);
    return parts.caches().port(port);
  }

  @Override
  public Gid gid(int port, int index) {
    check("gid", port);
    return parts.caches().gid(port, index);
  }

  @Override
  public int pkey(int port, int index) {
    check("pkey", port);
    return parts.caches().pkey(port, index);
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    control().enter("modifyPort");
    check("modifyPort", port);
    control().given(change, "modifyPort", "change");
    control()
        .run(
            "modifyPort",
            () -> {
              parts.driver().ops().modifyPort(port, change);
              parts.caches().refresh(port); // no event tells of a changed capability mask (B13)
            });
  }

  private void check(String method, int port) {
    if (port < 1 || port > portCount()) {
      throw new IbInvalidException(name() + "." + method, "port " + port, "1 to " + portCount());
    }
  }

  @Override
  public void registerEventHandler(IbEventHandler handler) {
    control().enter("registerEventHandler");
    control().given(handler, "registerEventHandler", "handler");
    lending(
        "registerEventHandler",
        () -> {
          parts.handlers().register(this, handler);
          owner.lent(handler, "event handler " + handler.getClass().getName());
          return handler;
        });
  }

  @Override
  public void unregisterEventHandler(IbEventHandler handler) {
    if (parts.handlers().inside(handler)) {
      control().enterAnyContext("unregisterEventHandler"); // it will not wait (CC-17)
    } else {
      control().enter("unregisterEventHandler");
    }
    control().given(handler, "unregisterEventHandler", "handler");
    try {
      parts.handlers().unregister(this, handler);
    } finally {
      owner.returned(handler);
    }
  }

  @Override
  protected ObjectControl control() {
    return owner.handle();
  }

  @Override
  protected ProtectionDomain doAllocPd(ObjectControl control) {
    return parts.driver().ops().allocPd(control);
  }

  @Override
  protected CompletionQueue doCreateCq(ObjectControl control, CqInit init) {
    Completions.Part part = parts.completions().of(init);
    CompletionQueue cq = parts.driver().ops().createCq(control, part.forDriver());
    if (control instanceof ObjectRecord record) {
      record.completions(part.task());
    }
    part.connect(cq);
    return cq;
  }
}
