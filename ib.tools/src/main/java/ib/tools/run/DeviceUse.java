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
 * The devices of one run, which is a client of the core (S35). When one of its devices is removed,
 * the run is notified, closes everything and lets the removal go on. A lease would not notify the
 * run, so an unplug would have to wait for the run's end. {@link #remove} blocks until {@link
 * #close}, at most 30 s.
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
   * Opens the devices of a run.
   *
   * @param core the core
   * @param program name of the program
   * @param wanted names of the devices
   * @param wakeUp released when one of the devices is removed
   * @return the devices; close it after all objects made through their handles
   * @throws CommandException when one of the devices does not exist
   */
  public static DeviceUse open(IbCore core, String program, Set<String> wanted, Semaphore wakeUp) {
    String name =
        program
            + ":"
            + Thread.currentThread().threadId(); // the thread's id stands for a process id
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
   * @param device the name of one of the devices
   */
  public IbDevice device(String device) {
    IbDevice handle = handle(device);
    if (handle == null) {
      throw new CommandException("IB device " + device + " not found");
    }
    return handle;
  }

  /**
   * Checks whether the run may go on.
   *
   * @param program name of the program, for messages
   * @throws CommandException when a device is being removed, or the thread was interrupted
   */
  public void checkGoingOn(String program) {
    String gone = leaving;
    if (gone != null) {
      throw new CommandException(program + ": IB device " + gone + " was removed during the run");
    }
    if (Thread.interrupted()) {
      throw new CommandException(130, program + ": interrupted"); // the shell's status for SIGINT
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
      Thread.currentThread().interrupt(); // the core reports leaks and destroys them (S32)
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
