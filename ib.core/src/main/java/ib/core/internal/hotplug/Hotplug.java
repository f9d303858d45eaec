package ib.core.internal.hotplug;

import ib.core.client.ClientStatus;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.RemovalReport;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry of devices and clients (S27-S43). A method that adds or removes may sleep, and runs
 * code of clients and drivers on the caller's thread; the change is complete when the method
 * returns. An add called inside a callback takes place after the callback has returned (CC-10). A
 * removal that would have to wait for its own caller is queued, and the caller is notified of that
 * as {@link Form} says (CC-7 to CC-9).
 */
public final class Hotplug implements AutoCloseable {
  final Book book;
  private final Teardown teardown;
  private final Devices devices;
  private final Clients clients;
  private final Refusals refusals;
  private final Inventory inventory;

  /**
   * Makes an empty registry with real threads and a real clock.
   *
   * @param waits the wait-for graph
   * @param atomic whether the calling thread is in a callback that may not sleep: then it runs
   *     neither adds nor removes, but waits for a thread that does
   * @param limits how long callbacks may take
   * @param observer gets the reports of violations, leaks and failures
   */
  public Hotplug(WaitGraph waits, BooleanSupplier atomic, Limits limits, Observer observer) {
    this(Book.real(waits, atomic, limits, observer));
  }

  Hotplug(Limits limits, Observer observer) {
    this(new WaitGraph(), () -> false, limits, observer);
  }

  Hotplug(Sync sync, LongSupplier clock, Limits limits, Rules rules, Observer observer) {
    this(new Book(new WaitGraph(), () -> false, sync, clock, limits, rules, observer));
  }

  private Hotplug(Book book) {
    this.book = book;
    Calls calls = new Calls(book);
    Bindings bindings = new Bindings(book, calls);
    teardown = new Teardown(book, calls, bindings);
    devices = new Devices(book, calls, bindings, teardown);
    refusals = new Refusals(book);
    clients = new Clients(book, bindings, devices, refusals);
    inventory = new Inventory(book);
  }

  /**
   * Changes how long callbacks may take, those that are running included.
   *
   * @param limits from now on
   */
  public void limits(Limits limits) {
    book.limits(limits);
  }

  // ---- devices ----

  /**
   * Reserves a device's name and GUID; calls neither the driver nor a client.
   *
   * @param hooks the device
   * @param info its identity; the index is given here
   * @param driver the driver that the device belongs to, for {@link #removeAll}
   * @param parent the device that it is a part of (CC-12), or null
   * @return the entry, to be brought up
   * @throws IbExistsException when name or node GUID are in use
   * @throws IbNoDeviceException when the registry is closed or the parent is not live
   */
  public DeviceEntry announce(
      DeviceHooks hooks, DeviceInfo info, Object driver, @Nullable DeviceEntry parent) {
    return book.compute(() -> devices.announce(hooks, info, driver, parent));
  }

  /**
   * Probes a device and adds all clients in order. From inside a callback the adds follow when it
   * has returned (CC-10, CC-11).
   *
   * @param device an announced device
   * @throws RuntimeException what the probe threw; the device is forgotten then
   */
  public void bringUp(DeviceEntry device) {
    Op probe = devices.probe(device);
    device.actor.perform(probe);
    RuntimeException failure = book.find(() -> probe.failure);
    if (failure != null) {
      throw failure;
    }
    refusals.record("CC-10", refusals.performOrLater(devices.enable(device), "CC-10"));
  }

  /**
   * Removes a device: children, clients in reverse, events, leases (I3).
   *
   * @param device the device
   * @param form what happens when it cannot be waited for (CC-7, CC-8)
   */
  public void unregister(DeviceEntry device, Form form) {
    Refusal refusal = shutDown(device, form);
    if (refusal != null) {
      boolean going = book.compute(() -> device.state == DeviceEntry.State.DISABLING);
      refusals.tell(going ? "CC-8" : "CC-7", refusal, form);
    }
  }

  /**
   * Queues the removal; legal in callbacks.
   *
   * @param device the device
   */
  public void unregisterQueued(DeviceEntry device) {
    book.update(() -> device.stopping = true);
    device.actor.leave(devices.shutdown(device, Waits.Rank.QUEUED));
  }

  /**
   * Removes all devices of a driver, the youngest first (CC-22).
   *
   * @param driver as given to {@link #announce}
   * @param form what happens when one cannot be waited for
   */
  public void removeAll(Object driver, Form form) {
    List<DeviceEntry> mine =
        book.compute(() -> book.devices.stream().filter(d -> d.driver.equals(driver)).toList());
    unregisterReversed(mine, form);
  }

  private void unregisterReversed(List<DeviceEntry> list, Form form) {
    Refusal refused = null;
    for (DeviceEntry d : list.reversed()) {
      Refusal r = shutDown(d, form);
      refused = refused == null ? r : refused;
    }
    if (refused != null) {
      refusals.tell("CC-7", refused, form);
    }
  }

  private @Nullable Refusal shutDown(DeviceEntry device, Form form) {
    boolean gone =
        book.compute(
            () -> {
              device.stopping = true;
              return device.state == DeviceEntry.State.GONE;
            });
    return gone ? null : device.actor.perform(devices.shutdown(device, form.rank));
  }

  /**
   * Renames a device and notifies its clients in order (CC-15).
   *
   * @param device the device
   * @param newName a free name
   * @param form what happens when it cannot be waited for
   * @throws IbExistsException when the name is in use
   * @throws IbAgainException while another rename of it is under way
   */
  public void rename(DeviceEntry device, String newName, Form form) {
    boolean same =
        book.compute(
            () -> {
              String what = "rename " + device + " to " + newName;
              Book.checkName(what, newName);
              devices.checkFree(what, newName, device);
              if (device.newName != null) {
                throw new IbAgainException(what, "it is being renamed", "when that is over");
              }
              if (device.stopping) {
                throw new IbNoDeviceException(what, "it is being removed", "");
              }
              boolean equal = device.name().equals(newName);
              device.newName = equal ? null : newName;
              return equal;
            });
    if (!same) {
      Refusal refusal = device.actor.perform(devices.rename(device, newName));
      if (refusal != null) {
        refusals.tell("CC-15", refusal, form);
      }
    }
  }

  /**
   * Removes all clients, runs an action, and adds the clients again (CC-23).
   *
   * @param device the device
   * @param action called while no client uses the device
   */
  public void reset(DeviceEntry device, Runnable action) {
    Refusal refusal = device.actor.perform(devices.reset(device, action));
    if (refusal != null) {
      refusals.tell("CC-23", refusal, Form.THROW);
    }
  }

  // ---- clients ----

  /**
   * Reserves a client's name and its place in the order; does not call the client yet.
   *
   * @param client the client
   * @param name its name, asked for before
   * @param after names of clients to be added before it (S41)
   * @param rank key of the order of adds, or null for: after all that are there
   * @return the entry, to be attached
   * @throws IbExistsException when the name is in use
   * @throws IbInvalidException when there is none
   */
  public ClientEntry announce(
      IbClient client, String name, List<String> after, @Nullable Long rank) {
    return clients.announce(client, name, after, rank);
  }

  /**
   * Changes which clients are added before a client (S41); what is added stays as it is.
   *
   * @param client an announced client
   * @param names names of the clients
   */
  public void after(ClientEntry client, List<String> names) {
    clients.after(client, names);
  }

  /**
   * Adds a client to all devices (S37). From inside a callback the adds follow when it has
   * returned.
   *
   * @param client an announced client
   */
  public void attach(ClientEntry client) {
    clients.attach(client);
  }

  /**
   * Removes a client from all devices (S38, I4). A second call waits for the first.
   *
   * @param client the client
   * @param form what happens when it cannot be waited for (CC-9)
   */
  public void unregisterClient(ClientEntry client, Form form) {
    clients.unregister(client, form);
  }

  /**
   * Queues the removal of a client; legal in callbacks.
   *
   * @param client the client
   */
  public void unregisterClientQueued(ClientEntry client) {
    clients.unregisterQueued(client);
  }

  /**
   * Considers the client again where it was rejected or not interested (CC-5).
   *
   * @param client the client
   * @param form what happens when it cannot be waited for
   */
  public void rebind(ClientEntry client, Form form) {
    clients.rebind(client, form);
  }

  // ---- leases and looking ----

  /**
   * Takes a lease (CC-21).
   *
   * @param device device name
   * @param holder who, for reports
   * @return the lease
   * @throws IbNoDeviceException when there is no such live device
   */
  public DeviceLease lease(String device, String holder) {
    return inventory.lease(device, holder);
  }

  /**
   * Finds a device; any context may call, so the book's lock is not taken.
   *
   * @param name device name
   * @return the device, when it is live
   */
  public Optional<DeviceEntry> find(String name) {
    return Optional.ofNullable(inventory.byName(name));
  }

  /** {@return the live devices in the order of their registration} */
  public List<DeviceEntry> devices() {
    return book.compute(() -> book.devices.stream().filter(DeviceEntry::usable).toList());
  }

  /** {@return the clients in the order of adds} */
  public List<ClientStatus> clients() {
    return book.compute(inventory::clients);
  }

  /**
   * How the last removal of a device went.
   *
   * @param device device name
   * @return the report, when there was one
   */
  public Optional<RemovalReport> lastRemoval(String device) {
    return Optional.ofNullable(book.find(() -> teardown.lastReport(device)));
  }

  /** Removes everything, devices in reverse, and ends the watchdog; nothing new is accepted. */
  @Override
  public void close() {
    List<DeviceEntry> all =
        book.compute(
            () -> {
              book.closed = true;
              return List.copyOf(book.devices);
            });
    unregisterReversed(all, Form.RECORD);
    if (book.compute(book.devices::isEmpty)) {
      book.alarm.stop(); // else the last device to go ends it
    }
  }
}
