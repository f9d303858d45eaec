package ib.core.internal.hotplug;

import ib.core.client.IbClient;
import ib.core.internal.hotplug.ClientEntry.Phase;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link Hotplug} for clients. Each change is an operation on every device that the
 * client concerns.
 */
final class Clients {
  private final Book book;
  private final Bindings bindings;
  private final Devices devices;
  private final Refusals refusals;

  Clients(Book book, Bindings bindings, Devices devices, Refusals refusals) {
    this.book = book;
    this.bindings = bindings;
    this.devices = devices;
    this.refusals = refusals;
  }

  /** See {@link Hotplug#announce(IbClient, String, List, Long)}. */
  ClientEntry announce(IbClient client, String name, List<String> after, @Nullable Long rank) {
    Book.checkName("register client " + client.getClass().getName(), name);
    ClientEntry entry = book.compute(() -> enter(client, name, after, rank));
    noteCycle(entry);
    return entry;
  }

  /** See {@link Hotplug#after}. */
  void after(ClientEntry client, List<String> names) {
    if (book.compute(() -> book.clients.after(client, names))) {
      noteCycle(client);
    }
  }

  private void noteCycle(ClientEntry entry) {
    List<String> cycle = book.compute(() -> ClientOrder.cycle(book.clients.ordered(), entry));
    if (!cycle.isEmpty()) {
      book.observer.note(IbClient.AFTER + " forms a cycle and is ignored there: " + cycle);
    }
  }

  private ClientEntry enter(IbClient client, String name, List<String> after, @Nullable Long rank) {
    if (book.closed) {
      throw new IbNoDeviceException("register client " + name, "the midlayer is stopping", "");
    }
    if (book.clients.byName(name) != null) {
      throw new IbExistsException(
          "register client " + name, "there is a client of that name", "another name");
    }
    return book.clients.add(client, name, after, rank);
  }

  /** See {@link Hotplug#attach}. */
  void attach(ClientEntry client) {
    List<DeviceEntry> all =
        book.compute(() -> client.phase == Phase.ACTIVE ? enabled() : List.<DeviceEntry>of());
    for (DeviceEntry d : all) {
      refusals.record("CC-10", refusals.performOrLater(devices.attach(d), "CC-10"));
    }
  }

  private List<DeviceEntry> enabled() {
    return book.devices.stream()
        .filter(d -> d.usable() || d.state == DeviceEntry.State.RESETTING)
        .toList();
  }

  /** See {@link Hotplug#unregisterClient}. */
  void unregister(ClientEntry client, Form form) {
    Refusal refused = null;
    for (DeviceEntry d : book.compute(() -> retire(client)).reversed()) {
      Refusal r = d.actor.perform(devices.detach(d, client));
      refused = refused == null ? r : refused;
    }
    if (refused != null) {
      refusals.tell("CC-9", refused, form);
    }
  }

  /** See {@link Hotplug#unregisterClientQueued}. */
  void unregisterQueued(ClientEntry client) {
    for (DeviceEntry d : book.compute(() -> retire(client))) {
      d.actor.leave(devices.detach(d, client));
    }
  }

  /** Stops further adds of the client. Returns the devices on which it has a binding left. */
  private List<DeviceEntry> retire(ClientEntry client) {
    client.phase = client.phase == Phase.ACTIVE ? Phase.LEAVING : client.phase;
    bindings.retire(client);
    return book.devices.stream().filter(d -> d.engaged(client)).toList();
  }

  /** See {@link Hotplug#rebind}. */
  void rebind(ClientEntry client, Form form) {
    List<DeviceEntry> rejected =
        book.compute(
            () ->
                enabled().stream()
                    .filter(
                        d -> {
                          Binding b = d.bindings.get(client);
                          return b != null && Devices.reconsiderable(b);
                        })
                    .toList());
    Refusal refused = null;
    for (DeviceEntry d : rejected) {
      Refusal r = refusals.performOrLater(devices.rebind(d, client), "CC-5");
      refused = refused == null ? r : refused;
    }
    if (refused != null) {
      refusals.tell("CC-5", refused, form);
    }
  }
}
