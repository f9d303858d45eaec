package ib.driver.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.serial.Waits;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DeviceSlot;
import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneDriver;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A driver's devices under a midlayer, without a framework: what {@link Devices} are announced to,
 * and what {@link StandaloneDriver} opens.
 *
 * @param <C> the driver's kind of configuration
 */
public final class Standalone<C extends DeviceConfig<C>>
    implements Announcer<C>, StandaloneDriver.Devices {
  private final Logger log = LoggerFactory.getLogger(Standalone.class);
  private final DriverRegistry core;
  private final String pid;
  private final Runnable end;
  private final Devices<C> devices;
  private final Map<String, Plugged<C>> plugged = new ConcurrentHashMap<>();

  @GuardedBy("this")
  private @Nullable IbException refusal;

  /**
   * No devices yet.
   *
   * @param core the midlayer
   * @param pid the driver's name
   * @param reader makes configurations
   * @param factory makes devices
   * @param end what is to be done when all devices are gone
   */
  public Standalone(
      DriverRegistry core,
      String pid,
      Devices.Reader<C> reader,
      Plugged.Factory<C> factory,
      Runnable end) {
    this.core = core;
    this.pid = pid;
    this.end = end;
    devices = new Devices<>(reader, factory, this, this::report);
  }

  // ---- the program's side ----

  @Override
  public void configure(String device, Map<String, ?> values) {
    boolean there = find(device).isPresent();
    refuse(device, values);
    if (there) {
      slot(device).quiesce();
    } else {
      slot(device).plug();
    }
  }

  /** The monitor is held only as long as a configuration is read and accepted. */
  private synchronized void refuse(String device, Map<String, ?> values) {
    refusal = null;
    devices.configure(pid + "~" + device, values);
    if (refusal != null) {
      throw refusal;
    }
  }

  /** Refusals come back in the call, what a slot's worker cannot do in the log. */
  private void report(String text, Throwable why) {
    if (why instanceof IbException e && Thread.holdsLock(this)) {
      synchronized (this) { // held already
        refusal = e;
      }
    } else if (why instanceof IbException) {
      log.error(text);
    } else {
      log.error(text, why);
    }
  }

  @Override
  public Slot<C> slot(String device) {
    return find(device)
        .orElseThrow(
            () -> new IbNoDeviceException("device " + device, "no such device", "its name"));
  }

  private Optional<Slot<C>> find(String device) {
    String wanted = pid + "~" + device;
    return devices.slots().stream().filter(s -> s.pid().equals(wanted)).findFirst();
  }

  @Override
  public <T> Optional<T> service(String device, Class<T> type) {
    Plugged<C> now = plugged.get(device);
    return now == null
        ? Optional.empty()
        : Optional.ofNullable(now.offers().get(type)).map(type::cast);
  }

  /** Builds outdated devices anew, after a change of the fabric around them. */
  public void review() {
    devices.review();
  }

  @Override
  public void close() {
    try {
      devices.stop();
    } finally {
      end.run();
    }
  }

  // ---- the devices' side ----

  /** The midlayer refuses a name and a GUID that are in use, when the device is registered. */
  @Override
  public Optional<IbExistsException> conflict(String configuration, C config) {
    return Optional.empty();
  }

  @Override
  public Offer offer(DeviceSlot slot) {
    return new Offer() {
      @Override
      public void plugged(boolean in) {
        // DeviceSlot.plugged() says it to a program; there is no service to change
      }

      @Override
      public void end() {
        // no service was registered, so there is none to withdraw
      }
    };
  }

  @Override
  public Runnable announce(Plugged<C> made) {
    String name = made.device().name();
    plugged.put(name, made);
    boolean known = false;
    try {
      DeviceRegistration registration = core.register(made.device());
      known = true;
      return () -> {
        plugged.remove(name, made);
        registration.withdraw();
      };
    } finally {
      if (!known) {
        plugged.remove(name, made);
      }
    }
  }

  @Override
  public Waits waits() {
    return core.waits();
  }
}
