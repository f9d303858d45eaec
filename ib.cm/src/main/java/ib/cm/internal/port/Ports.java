package ib.cm.internal.port;

import ib.cm.CmPort;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The open ports of one device. */
final class Ports {
  /** An open port and its users. */
  private static final class Seat {
    final LivePort port;
    final List<Share> shares = new ArrayList<>();

    Seat(LivePort port) {
      this.port = port;
    }
  }

  private final IbDevice device;
  private final Map<Integer, Seat> seats = new HashMap<>(); // guarded by this
  private boolean removed;

  Ports(IbDevice device) {
    this.device = device;
  }

  IbDevice device() {
    return device;
  }

  /** {@return a share of a port, which is opened for the first one} */
  synchronized CmPort open(int number) {
    if (removed) {
      throw new IbNoDeviceException("ib.cm", device.name() + " goes", "wait for its return");
    }
    Seat seat = seats.get(number);
    if (seat == null) {
      seat = new Seat(new LivePort(device, number));
      seats.put(number, seat);
    }
    Share share = new Share(seat.port, gone -> leave(number, gone));
    seat.shares.add(share);
    return share;
  }

  private synchronized void leave(int number, Share share) {
    Seat seat = seats.get(number);
    if (seat != null && seat.shares.remove(share) && seat.shares.isEmpty()) {
      seats.remove(number);
      seat.port.close();
    }
  }

  /** Closes all shares; no port can be opened afterwards. */
  void remove() {
    List<Share> left = new ArrayList<>();
    synchronized (this) {
      removed = true;
      seats.values().forEach(seat -> left.addAll(seat.shares));
    }
    left.forEach(Share::close);
  }
}
