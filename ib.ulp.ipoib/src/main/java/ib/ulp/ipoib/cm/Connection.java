package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;

/** A connection to one peer, and its state (IBA 12.9). Used on the loop's thread only. */
public final class Connection {
  /** The state of a connection. */
  public enum State {
    /** Active side: the REQ is sent, no answer has arrived. */
    REQ_SENT,
    /** Passive side: the REP is sent, no RTU has arrived. */
    REP_SENT,
    /** Packets may be sent. */
    ESTABLISHED,
    /** The queue pair is closed, the DREQ is sent, no DREP has arrived. */
    DREQ_SENT,
    /** The connection has ended. */
    CLOSED
  }

  final int id;
  final LinkAddress peer;
  final boolean active;
  final AhAttr way;
  long tid;
  State state;
  int remoteId;
  int remoteQpn;
  int mtu;
  int reason; // of the last REJ
  boolean reported; // the owner was called with up()
  @Nullable RcEnd end;
  @Nullable CmMessage said; // the message that the timer repeats
  Loop.@Nullable Timer timer;
  int tries;
  long usedNs;

  Connection(int id, LinkAddress peer, boolean active, AhAttr way, long now) {
    this.id = id;
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

  /** {@return the queue pair number of the peer's end} */
  public int remoteQpn() {
    return remoteQpn;
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
