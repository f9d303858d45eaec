package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A driver's device, which the driver registers as {@link IbDevice} service. As a service it
 * answers queries. It refuses to create objects, because only a client's own handle has order,
 * ownership and callback fences (D2).
 */
public abstract class DriverDevice extends IbDevice {
  private volatile DeviceInfo info;
  private final AtomicLong unheard = new AtomicLong();
  private volatile @Nullable DeviceSink sink;
  private volatile @Nullable IbDevice reader;

  /**
   * Names the device.
   *
   * @param info name and identity
   */
  protected DriverDevice(DeviceInfo info) {
    this.info = info;
  }

  /** {@return the control path; for the core} */
  public abstract DeviceOps ops();

  /**
   * For drivers: raises an unaffiliated event (S12, S44). An event raised before the core connects
   * or after it disconnects is dropped, and counted as {@code early}; no change is lost, because
   * the core reads the device's state when it connects (B12).
   *
   * @param type an unaffiliated type
   * @param port from 1, or 0 for the device
   */
  @AnyContext
  public final void dispatchEvent(EventType type, int port) {
    if (!type.unaffiliated()) {
      throw new IllegalArgumentException(type + " belongs to an object: use its raise()");
    }
    DeviceSink s = sink;
    if (s == null) {
      unheard.getAndIncrement();
    } else {
      s.dispatch(type, port);
    }
  }

  /**
   * For the core.
   *
   * @return how many events were dropped since the last call
   */
  public final long takeUnheardEvents() {
    return unheard.getAndSet(0);
  }

  /**
   * For the core: connects the device, before any client sees it, or disconnects it.
   *
   * @param deviceSink where events go, or null
   * @param cacheReader answers queries from the caches, or null
   */
  public final void connect(@Nullable DeviceSink deviceSink, @Nullable IbDevice cacheReader) {
    this.sink = deviceSink;
    this.reader = cacheReader;
  }

  /**
   * For the core: gives the device another name (CC-15).
   *
   * @param renamed the new identity
   */
  public final void rename(DeviceInfo renamed) {
    this.info = renamed;
  }

  @Override
  public final DeviceInfo info() {
    return info;
  }

  @Override
  public DeviceAttr attrs() {
    IbDevice r = reader;
    return r == null ? ops().queryDevice() : r.attrs();
  }

  @Override
  public final PortAttr queryPort(int port) {
    return ops().queryPort(port);
  }

  @Override
  public final PortAttr port(int port) {
    IbDevice r = reader;
    return r == null ? ops().queryPort(port) : r.port(port);
  }

  @Override
  public final Gid gid(int port, int index) {
    IbDevice r = reader;
    return r == null ? ops().queryGid(port, index) : r.gid(port, index);
  }

  @Override
  public final int pkey(int port, int index) {
    IbDevice r = reader;
    return r == null ? ops().queryPkey(port, index) : r.pkey(port, index);
  }

  @Override
  public final void modifyPort(int port, PortModify change) {
    throw refusal("modifyPort");
  }

  @Override
  public final void registerEventHandler(IbEventHandler handler) {
    throw refusal("registerEventHandler");
  }

  @Override
  public final void unregisterEventHandler(IbEventHandler handler) {
    throw refusal("unregisterEventHandler");
  }

  @Override
  protected final ObjectControl control() {
    throw refusal("create");
  }

  @Override
  protected final ProtectionDomain doAllocPd(ObjectControl control) {
    throw refusal("allocPd");
  }

  @Override
  protected final CompletionQueue doCreateCq(ObjectControl control, CqInit init) {
    throw refusal("createCq");
  }

  private IbPermissionException refusal(String method) {
    return new IbPermissionException(
        name() + "." + method,
        "this is the service object, which answers queries only",
        "the handle given to IbClient.add, or IbCore.lease(\"" + name() + "\", …)");
  }
}
