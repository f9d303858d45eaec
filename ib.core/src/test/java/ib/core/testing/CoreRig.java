package ib.core.testing;

import ib.core.internal.callback.CallbackPool;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.device.DeviceParts;
import ib.core.internal.event.DeviceCaches;
import ib.core.internal.event.EventHandlers;
import ib.core.internal.restrack.ObjectTable;
import ib.core.internal.restrack.Quotas;
import ib.core.internal.waits.WaitGraph;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.PortAttr;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A {@link FakeDevice} with everything that a client's handle stands on, and nothing else of the
 * core.
 */
public final class CoreRig implements AutoCloseable {
  /** How long a sweep of these handles waits for a driver call or callback. */
  public static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);

  private final FakeDevice fake;
  private final Contract contract;
  private final CallbackPool pool = new CallbackPool();
  private final List<IbEventHandler> handlers = new CopyOnWriteArrayList<>();
  private final List<IbEvent> mirrored = new CopyOnWriteArrayList<>();
  private final DeviceParts parts;

  /** The quotas of a client; a test may change them. */
  public volatile Quotas quotas = Quotas.STANDARD;

  /** With checking on. */
  public CoreRig() {
    this(new FakeDevice("fake0"), new Contract(true));
  }

  /**
   * On a device of the caller's.
   *
   * @param fake the device
   * @param contract checking or not
   */
  public CoreRig(FakeDevice fake, Contract contract) {
    this.fake = fake;
    this.contract = contract;
    this.parts =
        DeviceParts.of(
            fake,
            fake.attributes(),
            new PlainCaches(fake),
            new PlainHandlers(handlers),
            new DeviceParts.Common(contract, pool, () -> quotas, new WaitGraph()),
            mirrored::add);
  }

  /**
   * A client's handle.
   *
   * @param client its name
   * @return the handle
   */
  public BoundDevice bind(String client) {
    return new BoundDevice(client, parts, GRACE_NS);
  }

  /**
   * A handle whose sweep gives up sooner.
   *
   * @param client its name
   * @param graceNs how long it waits
   * @return the handle
   */
  public BoundDevice bind(String client, long graceNs) {
    return new BoundDevice(client, parts, graceNs);
  }

  /** {@return the driver} */
  public FakeDevice fake() {
    return fake;
  }

  /** {@return the device's objects} */
  public ObjectTable objects() {
    return parts.objects();
  }

  /** {@return the contract} */
  public Contract contract() {
    return contract;
  }

  /** {@return event handlers registered now} */
  public List<IbEventHandler> handlers() {
    return handlers;
  }

  /** {@return events of objects as the mirror got them} */
  public List<IbEvent> mirrored() {
    return mirrored;
  }

  /** {@return the clauses of the violations so far} */
  public List<String> clauses() {
    return contract.violations().stream().map(v -> v.clause()).toList();
  }

  @Override
  public void close() {
    parts.close();
    pool.close();
  }

  private record PlainCaches(FakeDevice device) implements DeviceCaches {
    @Override
    public PortAttr port(int port) {
      return device.ports().attr(port);
    }

    @Override
    public Gid gid(int port, int index) {
      return device.ports().gid(port, index);
    }

    @Override
    public int pkey(int port, int index) {
      return device.ports().pkey(port, index);
    }

    @Override
    public void refresh(int port) {} // reads what the device has now
  }

  private record PlainHandlers(List<IbEventHandler> list) implements EventHandlers {
    @Override
    public void register(IbDevice owner, IbEventHandler handler) {
      list.add(handler);
    }

    @Override
    public void unregister(IbDevice owner, IbEventHandler handler) {
      list.remove(handler);
    }

    @Override
    public void close(IbDevice owner, long timeoutNs) {
      list.removeIf(h -> h.device().equals(owner));
    }
  }
}
