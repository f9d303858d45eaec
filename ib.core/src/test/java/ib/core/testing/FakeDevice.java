package ib.core.testing;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.AtomicCap;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Limit;
import ib.core.verbs.NodeType;
import ib.core.verbs.ObjectControl.Kind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A device in memory. Sends complete as soon as they are posted and go nowhere; receives complete
 * when a test says so, or flushed.
 */
public class FakeDevice extends DriverDevice {
  private static final AtomicInteger NEXT_INDEX = new AtomicInteger();

  private final Faults faults = new Faults();
  private final FakePorts ports;
  private final AtomicIntegerArray live = new AtomicIntegerArray(Kind.values().length);
  private final AtomicIntegerArray made = new AtomicIntegerArray(Kind.values().length);
  private final AtomicInteger doubleDestroys = new AtomicInteger();
  private final AtomicInteger touchedDead = new AtomicInteger();

  /** Whether sends complete as soon as they are posted. */
  public volatile boolean completeOnPost = true;

  /** Misbehaves: a queue pair in ERR never flushes (B20). */
  public volatile boolean neverFlush;

  /**
   * Whether the device breaks S20: it calls the handler on the stack of the thread that makes the
   * completion.
   */
  public volatile boolean callsHandlersDirectly;

  /**
   * Misbehaves: events are delivered by calling the handler on the stack of the verb (S21, rvt).
   */
  public volatile boolean callsEventHandlersDirectly;

  /** The result of the next arming of a queue in place of 0, once. */
  public final AtomicInteger nextArming = new AtomicInteger();

  /** The result of the next poll, instead of completions, unless 0. */
  public final AtomicInteger nextPoll = new AtomicInteger();

  /**
   * Makes a device with one port.
   *
   * @param name its name
   */
  public FakeDevice(String name) {
    this(name, 1);
  }

  /**
   * Makes a device with a node GUID of its own.
   *
   * @param name its name
   * @param portCount number of ports
   */
  public FakeDevice(String name, int portCount) {
    this(info(name, portCount));
  }

  /**
   * Makes a device.
   *
   * @param info its identity
   */
  public FakeDevice(DeviceInfo info) {
    super(info);
    this.ports = new FakePorts(info.portCount(), info.nodeGuid());
  }

  private static DeviceInfo info(String name, int portCount) {
    int index = NEXT_INDEX.incrementAndGet();
    long guid = 0x0002_c900_0000_0000L + index;
    return new DeviceInfo(name, index, NodeType.CA, guid, guid, portCount, "ib.core.testing");
  }

  @Override
  public DeviceOps ops() {
    return new FakeOps(this);
  }

  /** {@return the hooks} */
  public Faults faults() {
    return faults;
  }

  /** {@return what the ports say; a test may change it} */
  public FakePorts ports() {
    return ports;
  }

  /**
   * How many objects the driver holds now.
   *
   * @param kind which
   * @return the number
   */
  public int live(Kind kind) {
    return live.get(kind.ordinal());
  }

  /** {@return how many objects the driver holds, of all kinds} */
  public int live() {
    int n = 0;
    for (int i = 0; i < live.length(); i++) {
      n += live.get(i);
    }
    return n;
  }

  /**
   * How many objects the driver ever made.
   *
   * @param kind which
   * @return the number
   */
  public int made(Kind kind) {
    return made.get(kind.ordinal());
  }

  /** {@return how often an object was destroyed a second time; must be 0} */
  public int doubleDestroys() {
    return doubleDestroys.get();
  }

  /** {@return how often an accessor of a destroyed object was called (B9)} */
  public int touchedDead() {
    return touchedDead.get();
  }

  /** An accessor was called. */
  void touch(AtomicInteger deaths) {
    if (deaths.get() > 0) {
      touchedDead.incrementAndGet();
    }
  }

  void born(Kind kind) {
    live.incrementAndGet(kind.ordinal());
    made.incrementAndGet(kind.ordinal());
  }

  /**
   * The end of an object: the hook first, so that it may block or throw; the object dies anyway.
   */
  void died(Kind kind, AtomicInteger deaths) {
    if (deaths.incrementAndGet() == 1) {
      live.decrementAndGet(kind.ordinal());
    } else {
      doubleDestroys.incrementAndGet();
    }
    faults.hit("destroy" + kind);
  }

  DeviceAttr attributes() {
    Map<Limit, Long> limits = new EnumMap<>(Limit.class);
    limits.put(Limit.MAX_QP_WR, 4096L);
    limits.put(Limit.MAX_SGE, 16L);
    limits.put(Limit.MAX_CQE, 65_536L);
    limits.put(Limit.MAX_SRQ_WR, 4096L);
    limits.put(Limit.MAX_SRQ_SGE, 16L);
    limits.put(Limit.MAX_INLINE_DATA, 256L);
    limits.put(Limit.NUM_COMP_VECTORS, 2L);
    long guid = info().nodeGuid();
    EnumSet<Cap> caps = EnumSet.allOf(Cap.class);
    return new DeviceAttr(
        "1.0", guid, guid, 0x2c9, 1, 0, info().portCount(), caps, AtomicCap.HCA, limits);
  }
}
