package ib.core.internal.hotplug;

import ib.core.client.IbClient;
import ib.core.internal.hotplug.ClientEntry.Phase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The clients and their order; guarded by the book. */
final class ClientTable {
  private final List<ClientEntry> entries = new ArrayList<>();
  private @Nullable List<ClientEntry> ordered;
  private long lastSequence;
  private long highestRank;

  /**
   * Adds a client. From here on it counts: this is where devices and clients that come at the same
   * time are put in order (B2).
   *
   * @param rank key of the order, or null for: after all that came before
   */
  ClientEntry add(IbClient client, String name, List<String> after, @Nullable Long rank) {
    highestRank = Math.max(highestRank, rank == null ? 0 : rank);
    ClientEntry entry =
        new ClientEntry(client, name, after, rank == null ? highestRank : rank, ++lastSequence);
    entries.add(entry);
    ordered = null;
    return entry;
  }

  /** Changes which clients come before one; {@return whether that is new} */
  boolean after(ClientEntry entry, List<String> names) {
    boolean changed = !entry.after.equals(names);
    entry.after = List.copyOf(names);
    ordered = changed ? null : ordered;
    return changed;
  }

  void remove(ClientEntry entry) {
    entries.remove(entry);
    ordered = null;
  }

  @Nullable ClientEntry byName(String name) {
    return entries.stream().filter(e -> e.name.equals(name)).findFirst().orElse(null);
  }

  /** All clients in the order of adds. */
  List<ClientEntry> ordered() {
    List<ClientEntry> o = ordered;
    if (o == null) {
      o = ClientOrder.sort(entries);
      ordered = o;
    }
    return o;
  }

  /** The clients that a device has not considered yet, in the order of adds. */
  List<ClientEntry> pendingOn(DeviceEntry device) {
    return ordered().stream()
        .filter(c -> c.phase == Phase.ACTIVE && !device.bindings.containsKey(c))
        .toList();
  }
}
