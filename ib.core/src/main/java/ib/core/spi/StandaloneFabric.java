package ib.core.spi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.IbLeakException;
import ib.core.client.LeakRecord;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QueuePair;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Devices of one driver under a midlayer, for a program without a framework: a test, a simulator, a
 * tool. The soft driver and the rxe driver have a class of their own that makes it:
 *
 * <pre>{@code
 * try (var fabric = SoftFabric.open("soft0", "soft1")) {
 *   IbDevice a = fabric.device("soft0");
 *   …
 * }
 * }</pre>
 *
 * <p>Close every object that was made through {@link #device} before the fabric, see {@link
 * #close}. To follow when devices are added and removed, register an {@link IbClient} with {@link
 * #core} instead.
 *
 * <p>Two fabrics share nothing: each may have a device of the same name, and no packet goes from
 * one to the other. Under one midlayer ({@link FabricOptions#on}) a name is taken once, and a
 * second device of that name is refused with {@link ib.core.verbs.IbExistsException}.
 *
 * <p>All methods may be called by any thread.
 */
public class StandaloneFabric implements AutoCloseable {
  private final String text;
  private final List<String> names;

  @GuardedBy("configurations")
  private final Map<String, Map<String, Object>> configurations;

  private final OpenedFabric opened;

  /** The leaks on devices that {@code close} has removed, also in an attempt that failed. */
  private final List<LeakRecord> leaks = new CopyOnWriteArrayList<>();

  /** The options of a fabric of any driver; a driver's own class may have more. */
  public static final class Options extends FabricOptions<Options> {
    private final StandaloneDriver driver;

    private Options(StandaloneDriver driver) {
      this.driver = driver;
    }

    @Override
    protected Options self() {
      return this;
    }

    /**
     * Opens the devices.
     *
     * @return the fabric; close it
     * @throws IbException when one of the devices cannot be had; nothing is left open then
     */
    @MaySleep
    public StandaloneFabric open() {
      return new StandaloneFabric(driver, this);
    }
  }

  /**
   * Begins a fabric of any driver.
   *
   * @param driver the driver's name, for example {@code ib.driver.soft}; its jar is on the class
   *     path
   * @return options without devices
   * @throws IbNoDeviceException when there is no such driver
   */
  public static Options options(String driver) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return new Options(StandaloneDriver.find(driver, loader));
  }

  /**
   * Opens the devices.
   *
   * @param driver whose devices
   * @param options what they are
   * @throws IbException when one of the devices cannot be had; nothing is left open then
   */
  @MaySleep
  protected StandaloneFabric(StandaloneDriver driver, FabricOptions<?> options) {
    text = "fabric of " + options;
    configurations = options.configurations();
    names = List.copyOf(configurations.keySet());
    opened = OpenedFabric.open(driver, options, configurations);
  }

  /** {@return the names of the devices, in the order in which they were asked for} */
  @AnyContext
  public final List<String> names() {
    return names;
  }

  /** {@return the devices that are plugged in, in that order} */
  @AnyContext
  public final List<IbDevice> devices() {
    return names.stream().filter(opened.user().handles()::containsKey).map(this::device).toList();
  }

  /**
   * A device. What is made through this handle is closed before the fabric is.
   *
   * @param name its name
   * @return the device; another handle after an unplug and a plug
   * @throws IbNoDeviceException when the fabric has no such device, or it is unplugged
   */
  @AnyContext
  public final IbDevice device(String name) {
    IbDevice device = opened.user().handles().get(name);
    if (device == null) {
      throw names.contains(name)
          ? new IbNoDeviceException(text + ".device " + name, "it is unplugged", "plug it in")
          : new IbNoDeviceException(text + ".device " + name, "no such device", "one of " + names);
    }
    return device;
  }

  /** {@return the midlayer, for clients, leases, and to look at objects and counters} */
  @AnyContext
  public final IbCore core() {
    return opened.midlayer().core();
  }

  /**
   * Returns a service of a device beside verbs: {@link FaultInjection}, {@link PacketCapture},
   * {@link QpDiagnosis} or {@link SubnetView}.
   *
   * @param device name of the device
   * @param type the interface of the service
   * @param <T> that interface
   * @return the service, usable until the device is unplugged
   * @throws IbNoDeviceException when there is no such device
   * @throws IbNotSupportedException when the device does not offer the service
   */
  @AnyContext
  public final <T> T service(String device, Class<T> type) {
    device(device);
    return opened
        .driver()
        .service(device, type)
        .orElseThrow(
            () ->
                new IbNotSupportedException(
                    text + ".service " + type.getSimpleName(),
                    device + " does not offer it",
                    "another driver"));
  }

  /**
   * Tells what has happened to a queue pair, the likely cause of its trouble, and what to try, as
   * {@code ib:why} does; {@link QpDiagnosis.Report#toString} has the words.
   *
   * @param qp a queue pair of a device of the fabric; a closed one while its device keeps what was
   *     wrong with it
   * @return the report
   * @throws IbInvalidException when the device knows nothing of it any more
   * @throws IbNoDeviceException when the fabric has no such device, or it is unplugged
   */
  @MaySleep
  public final QpDiagnosis.Report why(QueuePair qp) {
    return service(qp.device().name(), QpDiagnosis.class)
        .diagnose(qp.qpn())
        .orElseThrow(
            () -> new IbInvalidException(text + ".why " + qp, "it is closed", "ask before"));
  }

  /** {@return {@link #why} of each queue pair in trouble, also of the latest that were closed} */
  @MaySleep
  public final List<QpDiagnosis.Report> troubles() {
    return devices().stream()
        .flatMap(d -> opened.driver().service(d.name(), QpDiagnosis.class).stream())
        .flatMap(d -> d.all().stream().filter(QpDiagnosis.Report::isTrouble))
        .toList();
  }

  /**
   * Changes a key of a device's configuration, as an edit of its file in {@code conf/} does: some
   * keys, such as {@code link} and {@code faults}, change live, others unplug the device and plug
   * it in again.
   *
   * @param device its name
   * @param key the key
   * @param value its value
   * @throws IbNoDeviceException when the fabric has no such device
   * @throws ib.core.verbs.IbInvalidException when the value is wrong; the device goes on as before
   */
  @MaySleep
  @Fence
  public final void set(String device, String key, Object value) {
    opened.driver().slot(device);
    Map<String, Object> values;
    synchronized (configurations) {
      values = new HashMap<>(configurations.getOrDefault(device, Map.of()));
    }
    values.put(key, value);
    opened.driver().configure(device, values);
    synchronized (configurations) {
      configurations.put(device, values);
    }
  }

  /**
   * Pulls a device out, as stopping its bundle does: clients are removed, what they leave behind is
   * destroyed and reported in the log and in {@link IbCore#lastRemoval}. Handles of the device are
   * of no use afterwards; nothing happens when it is unplugged already.
   *
   * @param device its name
   * @throws IbNoDeviceException when the fabric has no such device
   * @throws IbDeadlockException when this thread has a lease of the device, or is in a callback of
   *     it: the device goes when that is over
   */
  @MaySleep
  @Fence
  public final void unplug(String device) {
    try {
      opened.driver().slot(device).unplug();
    } catch (IbDeadlockException e) {
      IbDeadlockException better =
          new IbDeadlockException(
              text + ".unplug " + device,
              "this thread holds a lease of " + device + ", or is in a callback of it",
              "close the lease (or return from the callback) first");
      better.initCause(e);
      throw better;
    }
  }

  /**
   * Plugs a device in again; returns when all clients were added. Nothing happens when it is
   * plugged in.
   *
   * @param device its name
   * @throws IbNoDeviceException when the fabric has no such device
   * @throws IbException when it cannot be built
   */
  @MaySleep
  @Fence
  public final void plug(String device) {
    opened.driver().slot(device).plug();
  }

  /**
   * Takes the devices down, the last one first, and ends all threads of the fabric. A second call
   * does nothing.
   *
   * <p>This method waits for a lease that another thread holds; after {@code callback_deadline_ms}
   * the core revokes the lease and the method goes on.
   *
   * @throws IbLeakException when something was left open that was made through a handle of {@link
   *     #device}: it says what, and where it was made. Everything is down then. What was left open
   *     on a device that {@link #unplug} took down is in the log only.
   * @throws IbDeadlockException when this thread has a lease of a device, or is in a callback of
   *     it. The fabric is not closed then: close the lease, then the fabric again.
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    for (String name : names.reversed()) {
      if (opened.user().handles().containsKey(name)) {
        unplug(name);
        leaks.addAll(left(name));
      }
    }
    opened.end();
    List<LeakRecord> left = List.copyOf(leaks);
    leaks.clear();
    if (!left.isEmpty()) {
      throw new IbLeakException(text + ".close", left);
    }
  }

  private List<LeakRecord> left(String device) {
    String user = opened.user().name();
    return core().lastRemoval(device).stream()
        .flatMap(r -> r.leaks().stream())
        .filter(l -> l.client().equals(user))
        .toList();
  }

  /** {@return its devices, for a person} */
  @Override
  public final String toString() {
    return text;
  }
}
