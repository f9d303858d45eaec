package ib.tools.run;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.tools.getopt.CommandException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The devices of one run. The run is a client like any other (S35): it gets its own handles, and
 * when a device goes it hears of it, closes everything and lets the removal go on. A lease would
 * not tell it, so that an unplug would have to wait for the run's end.
 */
public final class DeviceUse implements IbClient, AutoCloseable {
  private static final long CLOSE_SECONDS = 30;

  private final String name;
  private final Set<String> wanted;
  private final Semaphore wakeUp;
  private final Map<String, IbDevice> handles = new HashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable ClientRegistration registration;
  private volatile boolean started;
  private volatile @Nullable String leaving;

  private DeviceUse(String name, Set<String> wanted, Semaphore wakeUp) {
    this.name = name;
    this.wanted = wanted;
    this.wakeUp = wakeUp;
  }

  /**
   * Takes devices.
   *
   * @param core the midlayer
   * @param program who uses them
   * @param wanted their names
   * @param wakeUp released when one of them goes
   * @return the handles; close it when everything made through them is closed
   * @throws CommandException when one is not there
   */
  public static DeviceUse open(IbCore core, String program, Set<String> wanted, Semaphore wakeUp) {
    String name = program + ":" + Thread.currentThread().threadId(); // as a process has its id
    DeviceUse use = new DeviceUse(name, wanted, wakeUp);
    use.registration = core.registerClient(use);
    use.started = true;
    for (String device : wanted) {
      if (use.handle(device) == null) {
        use.close();
        throw new CommandException("IB device " + device + " not found");
      }
    }
    return use;
  }

  private synchronized @Nullable IbDevice handle(String device) {
    return handles.get(device);
  }

  /**
   * {@return the handle of a device}
   *
   * @param device the name of one that was asked for
   */
  public IbDevice device(String device) {
    IbDevice handle = handle(device);
    if (handle == null) {
      throw new CommandException("IB device " + device + " not found");
    }
    return handle;
  }

  /**
   * Looks whether the run may go on.
   *
   * @param program who asks
   * @throws CommandException when a device goes, or the thread was interrupted
   */
  public void checkGoingOn(String program) {
    String gone = leaving;
    if (gone != null) {
      throw new CommandException(program + ": IB device " + gone + " was removed during the run");
    }
    if (Thread.interrupted()) {
      throw new CommandException(130, program + ": interrupted"); // as a shell counts SIGINT
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean supports(DeviceInfo device) {
    return !started && wanted.contains(device.name());
  }

  @Override
  public synchronized @Nullable Object add(IbDevice device) {
    handles.put(device.name(), device);
    return null;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (closed.getCount() == 0) {
      return;
    }
    leaving = device.name();
    wakeUp.release();
    try {
      if (!closed.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(name + " did not close in " + CLOSE_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread()
          .interrupt(); // what is left is reported and destroyed by the core (S32)
    }
  }

  @Override
  public void close() {
    closed.countDown();
    if (registration != null) {
      registration.unregister();
    }
  }
}
