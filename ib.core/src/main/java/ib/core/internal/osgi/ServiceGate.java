package ib.core.internal.osgi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.LocalServices;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceListener;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;
import org.osgi.util.tracker.ServiceTrackerCustomizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services of one type, each of which arrives once and leaves once, whatever threads do (D1).
 *
 * <p>A {@link ServiceTracker} tells what comes; it is neither ordered nor a fence: it opens in hash
 * order, and does not call back for a service that leaves while it is being added. So what is there
 * at the opening is sorted by {@code service.id}, and a listener of the UNREGISTERING event, which
 * the framework calls before {@code unregister()} returns, waits until the service is off the
 * midlayer (S28, CC-1).
 *
 * <p>Locks: one per service, held while its entry is made known, never while clients or drivers
 * run.
 *
 * @param <S> the service type
 * @param <E> what the midlayer knows of a service
 */
final class ServiceGate<S, E> implements ServiceTrackerCustomizer<S, ServiceGate.Slot<E>> {
  /** The actions of the midlayer for a service; called without locks except where said. */
  interface Work<S, E> {
    /** Asks the service for its name, which may be null; the service's own code runs. */
    @Nullable String name(S service);

    /** Looks at a service that has a name, and at its properties; its own code may run. */
    void inspect(ServiceReference<S> reference, S service, String bundle, String name);

    /**
     * Takes the name and a place; quick, because the service's lock is held.
     *
     * @throws IbException when the service is refused
     */
    E announce(ServiceReference<S> reference, S service, String name);

    /** Reports a service that {@link #announce} has refused, or whose own code has failed. */
    void refused(String bundle, String name, IbException why);

    /** Adds the client or device, whose callbacks run. */
    void arrive(E entry);

    /**
     * Runs what a change of a service asks for: here, or elsewhere when the caller is in a callback
     * that must not sleep, where clients and drivers may not be called (S29).
     */
    default void change(String bundle, String how, Runnable what) {
      what.run();
    }

    /** Properties have changed. */
    void modified(ServiceReference<S> reference, E entry);

    /** A name is free that another service has had, and that this one may have asked for. */
    default void freed(ServiceReference<S> reference, E entry) {}

    /** Removes the service; it is not used any more when this returns. May be called twice. */
    void leave(E entry);
  }

  /** The life of one service here. */
  static final class Slot<E> {
    private final ServiceReference<?> reference;
    private final @Nullable Bundle bundle; // the reference forgets it when the service goes

    @GuardedBy("this")
    private boolean left;

    @GuardedBy("this")
    private @Nullable E entry;

    Slot(ServiceReference<?> reference) {
      this.reference = reference;
      this.bundle = reference.getBundle();
    }

    /** {@return the name of the bundle that registered the service, for reports} */
    String bundleName() {
      String name = bundle == null ? null : bundle.getSymbolicName();
      return name == null ? String.valueOf(bundle) : name;
    }

    synchronized @Nullable E leave() {
      left = true;
      return entry;
    }

    synchronized @Nullable E entry() {
      return left ? null : entry;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private static final int MAX_SHOWN = 200; // characters of a name that is refused

  private final BundleContext context;
  private final Class<S> type;
  private final Work<S, E> work;

  @GuardedBy("slots")
  private final Map<Long, Slot<E>> slots = new HashMap<>();

  /** Services that are announced now, or were refused because another one has name or GUID. */
  private final Map<ServiceReference<S>, Slot<E>> waiting =
      new ConcurrentSkipListMap<>(Comparator.comparing(ServiceGate::id));

  private final ServiceTracker<S, Slot<E>> tracker;
  private final ServiceListener fence = this::changed;

  @GuardedBy("slots")
  private @Nullable Map<ServiceReference<S>, Slot<E>> opening = new HashMap<>();

  /**
   * Creates it, closed.
   *
   * @throws InvalidSyntaxException never: the filter is right
   */
  ServiceGate(BundleContext context, Class<S> type, Work<S, E> work) throws InvalidSyntaxException {
    this.context = context;
    this.type = type;
    this.work = work;
    this.tracker =
        new ServiceTracker<>(
            context, FrameworkUtil.createFilter(LocalServices.of(type.getName())), this);
  }

  /** {@return a refusal for the log} */
  static String text(IbException why) {
    String later = why instanceof IbExistsException ? "; it comes when that one has gone" : "";
    return why.getMessage() + later;
  }

  void open() throws InvalidSyntaxException {
    context.addServiceListener(fence); // without a filter, which an importer would take for a wish
    tracker.open();
    Map<ServiceReference<S>, Slot<E>> first = new TreeMap<>(Comparator.comparing(ServiceGate::id));
    synchronized (slots) {
      if (opening != null) {
        first.putAll(opening);
      }
      opening = null;
    }
    first.forEach(this::admit); // with the slot of then: it knows whether the service has left
  }

  /** Stops listening; what is known stays known. */
  void close() {
    context.removeServiceListener(fence);
    tracker.close();
  }

  /** Takes everything off that a bundle registered, the youngest first (CC-22). */
  void leaveAll(Bundle bundle) {
    leaveYounger(bundle, Long.MIN_VALUE);
  }

  private void leaveYounger(Bundle bundle, long than) {
    List<ServiceReference<?>> younger = new ArrayList<>();
    synchronized (slots) {
      for (Slot<E> slot : slots.values()) {
        if (bundle.equals(slot.bundle) && id(slot.reference) > than) {
          younger.add(slot.reference);
        }
      }
    }
    younger.sort(Comparator.<ServiceReference<?>, Long>comparing(ServiceGate::id).reversed());
    younger.forEach(this::leave);
  }

  private static Long id(ServiceReference<?> reference) {
    return (Long) reference.getProperty(Constants.SERVICE_ID);
  }

  private Slot<E> slot(ServiceReference<S> reference) {
    synchronized (slots) {
      return slots.computeIfAbsent(id(reference), i -> new Slot<>(reference));
    }
  }

  /**
   * Asks again, in the order of their registration, for the services that were refused because
   * another one had what they need; that one may have gone. Runs on one thread at a time.
   */
  void again() {
    waiting.forEach(this::admit);
    for (Map.Entry<ServiceReference<S>, Slot<E>> each : tracker.getTracked().entrySet()) {
      E entry = each.getValue().entry();
      if (entry != null) {
        work.freed(each.getKey(), entry);
      }
    }
  }

  @Override
  public Slot<E> addingService(ServiceReference<S> reference) {
    Slot<E> slot = slot(reference);
    synchronized (slots) {
      if (opening != null) {
        opening.put(reference, slot);
        return slot;
      }
    }
    admit(reference, slot);
    return slot;
  }

  private void admit(ServiceReference<S> reference, Slot<E> slot) {
    S service = context.getService(reference);
    if (service == null) {
      return; // it left, or its component failed to activate, which SCR has said
    }
    E entry = null;
    try {
      entry = announce(reference, service, slot);
    } finally {
      if (entry == null) {
        context.ungetService(reference);
      }
    }
    E known = entry;
    if (known != null) {
      work.change(slot.bundleName(), "registered", () -> work.arrive(known));
    }
  }

  /**
   * Makes a service known. What its own code throws refuses this service and no other: the core
   * starts, and the next service arrives.
   */
  private @Nullable E announce(ServiceReference<S> reference, S service, Slot<E> slot) {
    String type = service.getClass().getName();
    String name = type; // until the service has said its own
    IbException refusal;
    boolean before = waiting.containsKey(reference);
    try {
      // before the lock: the service's own code (I5)
      name = IbInvalidException.given(work.name(service), "name() of " + type, "name");
      work.inspect(reference, service, slot.bundleName(), name);
      synchronized (slot) {
        if (slot.left || slot.entry != null) {
          return null;
        }
        waiting.put(reference, slot); // first: who frees the name meanwhile finds it
        slot.entry = work.announce(reference, service, name);
        waiting.remove(reference);
        return slot.entry;
      }
    } catch (IbExistsException why) { // it stays in waiting
      if (before) {
        return null; // that was said
      }
      refusal = why;
    } catch (IbException why) {
      waiting.remove(reference);
      refusal = why;
    } catch (Throwable why) { // the service's
      waiting.remove(reference);
      String hint = "mend " + type + ", then restart its bundle";
      refusal = IbInvalidException.of("service " + type, "it has thrown " + why, hint, why);
    }
    String shown = name.substring(0, Math.min(name.length(), MAX_SHOWN));
    work.refused(slot.bundleName(), shown, refusal); // after the lock: a log may block
    return null;
  }

  @Override
  public void modifiedService(ServiceReference<S> reference, Slot<E> slot) {
    E entry = slot.entry();
    if (entry != null) {
      work.change(slot.bundleName(), "changed", () -> work.modified(reference, entry));
    }
  }

  @Override
  public void removedService(ServiceReference<S> reference, Slot<E> slot) {
    leave(reference);
  }

  /**
   * The fence. The services of a bundle that stops come here in the order of their registration;
   * they have to leave in the reverse (CC-22), so the first of them takes the younger ones along.
   */
  private void changed(ServiceEvent event) {
    ServiceReference<?> going = event.getServiceReference();
    String[] types = (String[]) going.getProperty(Constants.OBJECTCLASS);
    if (!List.of(types).contains(type.getName())) {
      return;
    }
    if (going.getProperty(Constants.SERVICE_IMPORTED) != null) {
      tellImported(event.getType(), going);
      return;
    }
    if (event.getType() != ServiceEvent.UNREGISTERING) {
      return;
    }
    Bundle bundle = going.getBundle();
    if (bundle != null && bundle.getState() == Bundle.STOPPING) {
      leaveYounger(bundle, id(going));
    }
    leave(going);
  }

  private void tellImported(int event, ServiceReference<?> imported) {
    if (event == ServiceEvent.REGISTERED) {
      String text = "{} of bundle {} is refused: it is imported, and belongs to another runtime";
      LOG.warn(text, type.getSimpleName(), imported.getBundle());
    }
  }

  private void leave(ServiceReference<?> reference) {
    Slot<E> slot;
    synchronized (slots) {
      slot = slots.computeIfAbsent(id(reference), i -> new Slot<>(reference));
    }
    E entry = slot.leave();
    waiting.remove(reference);
    if (entry != null) {
      work.leave(entry);
      context.ungetService(reference);
    }
    synchronized (slots) {
      slots.remove(id(reference));
    }
  }
}
