package ib.core.internal.hotplug;

import ib.core.client.IbClient;
import java.util.ArrayList;
import java.util.List;

/** A registered client; guarded by the book. */
public final class ClientEntry {
  /** The states of a client. */
  enum Phase {
    ACTIVE,
    LEAVING,
    LEFT
  }

  final IbClient client;
  final String name;

  /** Key of the order of adds, for example the service's id; then the order of arrival decides. */
  final long rank;

  /** Order of arrival, from 1. */
  final long sequence;

  /** Bindings whose callback has still not returned, also of devices that are gone. */
  final List<Binding> broken = new ArrayList<>();

  Phase phase = Phase.ACTIVE;

  /** Names of the clients that come before this one. */
  List<String> after;

  ClientEntry(IbClient client, String name, List<String> after, long rank, long sequence) {
    this.client = client;
    this.name = name;
    this.after = List.copyOf(after);
    this.rank = rank;
    this.sequence = sequence;
  }

  /** {@return its name} */
  public String name() {
    return name;
  }

  @Override
  public String toString() {
    return name;
  }
}
