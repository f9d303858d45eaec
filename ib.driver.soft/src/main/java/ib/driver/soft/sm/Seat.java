package ib.driver.soft.sm;

import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The port at which the built-in subnet manager runs. */
final class Seat {
  private final Subnet subnet;
  private final Administrator administrator;
  private @Nullable NodePort port;

  Seat(Subnet subnet, Administrator administrator) {
    this.subnet = subnet;
    this.administrator = administrator;
  }

  /** {@return the port, null while the manager does not run} */
  @Nullable NodePort port() {
    return port;
  }

  /**
   * Takes port 0 of the first switch, or the first adapter's port. {@return whether the port is
   * another one than before}
   */
  boolean take() {
    NodePort now = null;
    for (Node node : subnet.nodes()) {
      NodePort zero = node.port(0);
      if (zero != null) {
        now = zero;
        break;
      }
    }
    for (Node node : now == null ? subnet.nodes() : List.<Node>of()) {
      now = now == null && node.ports().getFirst().linked() ? node.ports().getFirst() : now;
    }
    if (now != null && subnet.foreignManagers().contains(now)) {
      now = null; // another subnet manager runs there
    }
    if (now == port) {
      return false;
    }
    leave();
    if (now != null) {
      now.managesSubnet(true);
      subnet.add(now, administrator);
    }
    port = now;
    return true;
  }

  /** Leaves the port, if the manager runs at one. */
  void leave() {
    NodePort before = port;
    if (before != null) {
      before.managesSubnet(subnet.foreignManagers().contains(before));
      subnet.remove(before, administrator);
      port = null;
    }
  }
}
