package ib.driver.soft.sma;

import ib.core.mad.smp.SwitchInfo;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.topology.Adapter;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;

/** The link state machines of both ends of a cable (IBA 7.2.7, 14.2.5.6). */
public final class Links {
  private final Surroundings around;

  /**
   * Makes the links of a subnet.
   *
   * @param around notified of changes
   */
  public Links(Surroundings around) {
    this.around = around;
  }

  /**
   * Trains a link: both ends come to INIT, unless one end is disabled or the ends have no width in
   * common.
   *
   * @param port one end
   */
  public void up(NodePort port) {
    NodePort peer = port.peer();
    if (peer == null
        || port.phys() == PhysState.DISABLED
        || peer.phys() == PhysState.DISABLED
        || port.state() != PortState.DOWN
        || !port.present()
        || !peer.present()
        || !port.trains(peer)) {
      return;
    }
    enter(port, PortState.INIT, PhysState.LINK_UP);
    enter(peer, PortState.INIT, PhysState.LINK_UP);
    reportChange(port);
    reportChange(peer);
  }

  /**
   * Takes a link down at both ends.
   *
   * @param port one end
   * @param phys the new physical state of that end; the other end polls
   */
  public void down(NodePort port, PhysState phys) {
    NodePort peer = port.peer();
    boolean was = port.state() != PortState.DOWN;
    enter(port, PortState.DOWN, phys);
    if (peer != null && peer.state() != PortState.DOWN) {
      enter(peer, PortState.DOWN, PhysState.POLLING);
      reportChange(peer);
    }
    if (was) {
      reportChange(port);
    }
  }

  /**
   * Changes the logical state of one end; only the end's adapter is notified.
   *
   * @param port the end
   * @param state INIT, ARMED or ACTIVE
   */
  void logical(NodePort port, PortState state) {
    enter(port, state, port.phys());
  }

  private void enter(NodePort port, PortState state, PhysState phys) {
    port.state(state);
    port.phys(phys);
    around.moved(port);
    Adapter adapter = port.adapter();
    if (adapter != null) {
      adapter.state(state, phys);
    }
  }

  /** Sets PortStateChange of a switch and sends its trap 128 (IBA 14.2.5.4, 14.3.9). */
  private void reportChange(NodePort port) {
    Node node = port.node();
    if (node.isSwitch()) {
      NodePort zero = node.managed(port);
      SwitchInfo.PORT_STATE_CHANGE.set(node.switchInfo(), 1);
      around.trap(zero, Trap.linkState(zero.lid()));
    }
  }
}
