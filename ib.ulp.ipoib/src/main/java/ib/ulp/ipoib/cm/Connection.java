package ib.ulp.ipoib.cm;

import ib.cm.CmConnection;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;

/** A connection to one peer, and its state for this interface. Used on the loop's thread only. */
public final class Connection {
  /** The state of a connection. */
  public enum State {
    /** Active side: the peer has not replied. */
    REQ_SENT,
    /** Passive side: this side has accepted, and the peer has not confirmed it. */
    REP_SENT,
    /** Packets may be sent. */
    ESTABLISHED,
    /** The queue pair is closed; the connection manager ends the connection. */
    CLOSED
  }

  final LinkAddress peer;
  final boolean active;
  final AhAttr way; // of an active side's queue pair; where a passive side's request came from
  State state;
  Mtu pathMtu = Mtu.MTU_256; // of an active side
  int mtu;
  boolean reported; // the owner was called with up()
  @Nullable RcEnd end;
  @Nullable CmConnection cm;
  long usedNs;

  Connection(LinkAddress peer, boolean active, AhAttr way, long now) {
    this.peer = peer;
    this.active = active;
    this.way = way;
    state = active ? State.REQ_SENT : State.REP_SENT;
    usedNs = now;
  }

  /** {@return the other interface, without flags} */
  public LinkAddress peer() {
    return peer;
  }

  /** {@return whether this side sent the REQ} */
  public boolean active() {
    return active;
  }

  public State state() {
    return state;
  }

  /** {@return the longest IP packet in bytes that the peer accepts (C4)} */
  public int mtu() {
    return mtu;
  }

  /** {@return this side's queue pair; null after it was closed} */
  public @Nullable RcEnd end() {
    return end;
  }

  /** {@return whether {@link Connections.Owner#up} was called for this connection} */
  public boolean wasUp() {
    return reported;
  }

  /** Restarts the idle time, because a packet was sent or received. */
  public void used(long now) {
    usedNs = now;
  }

  @Override
  public String toString() {
    return (active ? "active " : "passive ") + state + ", mtu " + mtu;
  }
}
