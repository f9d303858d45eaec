package ib.core.internal.hotplug;

import org.jspecify.annotations.Nullable;

/** A running call into code of a client or a driver. Guarded by the book. */
final class Activity {
  /** The kind of the call. */
  enum Kind {
    PROBE("probe"),
    SUPPORTS("IbClient.supports"),
    ADD("IbClient.add"),
    REMOVE("IbClient.remove"),
    RENAMED("IbClient.renamed"),
    SWEEP("teardown of what is left"),
    DRAIN("delivery of the last events"),
    LEASES("leases"),
    RESET("reset"),
    GONE("disconnect");

    final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  final Kind kind;
  final @Nullable Binding binding;
  final long startNs;
  boolean reported;

  Activity(Kind kind, @Nullable Binding binding, long startNs) {
    this.kind = kind;
    this.binding = binding;
    this.startNs = startNs;
  }

  /** {@return the called method, and the client if the call is a client's} */
  String text() {
    return binding == null ? kind.label : kind.label + " of " + binding.client.name;
  }
}
