package ib.core.internal.hotplug;

import ib.core.client.ClientStatus;
import ib.core.client.ClientStatus.State;
import org.jspecify.annotations.Nullable;

/** One client on one device. Guarded by the book. */
final class Binding {
  final DeviceEntry device;
  final ClientEntry client;
  State state = State.ADDING;

  /** Place among the successful adds on this device, from 1; 0 before. */
  int place;

  @Nullable BoundHandle handle;
  @Nullable Object data;
  boolean sweepStarted;
  boolean swept;
  long addNs;
  long removeNs;
  String lastError = "";

  Binding(DeviceEntry device, ClientEntry client) {
    this.device = device;
    this.client = client;
  }

  /** Whether a callback runs, or one will have to, or something is left to destroy. */
  boolean engaged() {
    return switch (state) {
      case ADDING, LIVE, REMOVING -> true;
      case BROKEN -> handle != null && !swept;
      case NONE, REJECTED -> false;
    };
  }

  ClientStatus.Binding status() {
    return new ClientStatus.Binding(device.name(), state, addNs, removeNs, lastError);
  }

  @Override
  public String toString() {
    return client.name + " on " + device.name();
  }
}
