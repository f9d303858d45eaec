package ib.core.testing;

import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The smallest book that lets a driver's objects live without a midlayer: life, use counts, events;
 * no owners, no checks.
 */
public final class TestControl implements ObjectControl {
  private static final AtomicLong IDS = new AtomicLong();

  private final Queue<IbEvent> events; // of the whole device
  private final Queue<String> broken; // of the whole device
  private final Kind kind;
  private final IbDevice device;
  private final long id = IDS.incrementAndGet();
  private final IbObject[] uses;
  private final AtomicInteger users = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Runnable destroyer = () -> {};
  private volatile IbObject self;

  /**
   * The book of a device.
   *
   * @param device which
   */
  public TestControl(IbDevice device) {
    this(device, new ConcurrentLinkedQueue<>());
  }

  /**
   * The book of a device.
   *
   * @param device which
   * @param events takes what is raised, in the thread that raises it
   */
  public TestControl(IbDevice device, Queue<IbEvent> events) {
    this(Kind.DEVICE, device, events, new ConcurrentLinkedQueue<>());
  }

  private TestControl(
      Kind kind, IbDevice device, Queue<IbEvent> events, Queue<String> broken, IbObject... uses) {
    this.kind = kind;
    this.device = device;
    this.events = events;
    this.broken = broken;
    this.uses = uses;
  }

  /** {@return what was raised at the device's objects} */
  public Queue<IbEvent> events() {
    return events;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public IbDevice device() {
    return device;
  }

  @Override
  public String owner() {
    return "test";
  }

  @Override
  public void enter(String method) {}

  @Override
  public void enterAnyContext(String method) {}

  @Override
  public ObjectControl child(Kind childKind, IbObject... used) {
    for (IbObject o : used) {
      ((TestControl) o.control()).users.incrementAndGet();
    }
    return new TestControl(childKind, device, events, broken, used);
  }

  @Override
  public void publish(IbObject object, Runnable how) {
    self = object;
    destroyer = how;
  }

  @Override
  public void broken(String clause, String what, String instead) {
    broken.add(clause + " " + kind + " " + what);
  }

  /** {@return what drivers have reported of the device's objects} */
  public Queue<String> broken() {
    return broken;
  }

  @Override
  public void abort() {
    release();
  }

  private void release() {
    for (IbObject o : uses) {
      ((TestControl) o.control()).users.decrementAndGet();
    }
  }

  @Override
  public void destroy() {
    IbObject made = self; // null where a test asked the driver itself, which publishes nothing
    if (made != null && !closed.get() && !made.pins().isEmpty()) {
      throw new IbBusyException(kind + " " + id, made.pins());
    }
    if (users.get() > 0) {
      throw new IbBusyException(kind + " " + id, List.of(users + " users"));
    }
    if (closed.compareAndSet(false, true)) {
      try {
        destroyer.run();
      } finally {
        release(); // as the core does: a driver that throws has destroyed the object all the same
      }
    }
  }

  @Override
  public void raise(IbEvent event) {
    events.add(event);
  }

  @Override
  public int useCount() {
    return users.get();
  }

  @Override
  public List<IbObject> users() {
    return List.of();
  }

  @Override
  public boolean isLive() {
    return !closed.get();
  }
}
