package ib.verifier.bundles;

import ib.core.client.IbClient;
import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.IbDevice;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;

/** Services of devices and clients, and a lock that the midlayer's calls of them take, too. */
public final class Services {
  private Services() {}

  /** A device whose methods take a lock. */
  private abstract static class Device extends DriverDevice implements Runnable {
    final Object state = new Object();

    Device() {
      super(null);
    }

    @Override
    public DeviceOps ops() {
      synchronized (state) {
        return null;
      }
    }
  }

  /** A client that takes a lock. */
  private abstract static class Client implements IbClient, Runnable {
    final Object state = new Object();

    @Override
    public String name() {
      return "under lock";
    }

    @Override
    public Object add(IbDevice device) {
      synchronized (state) {
        return state;
      }
    }

    @Override
    public void remove(IbDevice device, Object context) {}
  }

  private static ServiceRegistration<?> register(Class<?> type, Object service) {
    BundleContext context = FrameworkUtil.getBundle(Services.class).getBundleContext();
    return context.registerService(type.getName(), service, null);
  }

  private static ServiceRegistration<IbDevice> registerTyped(IbDevice service) {
    BundleContext context = FrameworkUtil.getBundle(Services.class).getBundleContext();
    return context.registerService(IbDevice.class, service, null);
  }

  /** Registers a device while it holds the lock. */
  public static final class DeviceUnderLock extends Device {
    @Override
    public void run() {
      ops();
      synchronized (state) {
        registerTyped(this);
      }
    }
  }

  /** Unregisters a device while it holds the lock. */
  public static final class DeviceAwayUnderLock extends Device {
    @Override
    public void run() {
      ops();
      ServiceRegistration<?> registration = register(IbDevice.class, this);
      synchronized (state) {
        registration.unregister();
      }
    }
  }

  /** Registers a client while it holds the lock. */
  public static final class ClientUnderLock extends Client {
    @Override
    public void run() {
      add(null);
      synchronized (state) {
        register(IbClient.class, this);
      }
    }
  }

  /** Unregisters a client while it holds the lock, by a reference to the method. */
  public static final class ClientAwayUnderLock extends Client {
    @Override
    public void run() {
      add(null);
      Runnable away = register(IbClient.class, this)::unregister;
      synchronized (state) {
        away.run();
      }
    }
  }

  /** Holds the lock while it registers and unregisters a service that nobody calls back. */
  public static final class OtherUnderLock extends Client {
    @Override
    public void run() {
      add(null);
      synchronized (state) {
        ServiceRegistration<?> registration = register(Object.class, state);
        registration.unregister();
        try {
          registration.unregister();
        } catch (IllegalStateException e) {
          state.notifyAll(); // as it has to
        }
      }
    }
  }
}
