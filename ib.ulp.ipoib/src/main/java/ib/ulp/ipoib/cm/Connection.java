package ib.ulp.ipoib.cm;

import ib.core.verbs.AhAttr;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;

/** A connection to one peer, and how far it has come (IBA 12.9). Only the loop touches it. */
public final class Connection {
  /** How far. */
  public enum State {
    /** Active: asked, no answer yet. */
    REQ_SENT,
    /** Passive: accepted, not confirmed yet. */
    REP_SENT,
    /** Packets may be sent. */
    ESTABLISHED,
    /** The queue pair is gone, the peer has not said that it knows. */
    DREQ_SENT,
    /** Nothing is left. */
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
  boolean reported; // up to the owner
  @Nullable RcEnd end;
  @Nullable CmMessage said; // what is repeated
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

  /** {@return whether this side asked for it} */
  public boolean active() {
    return active;
  }

  public State state() {
    return state;
  }

  /** {@return bytes of the longest IP packet that the peer takes (C4)} */
  public int mtu() {
    return mtu;
  }

  /** {@return queue pair of the peer's end} */
  public int remoteQpn() {
    return remoteQpn;
  }

  /** {@return this side's queue pair; null when it is gone} */
  public @Nullable RcEnd end() {
    return end;
  }

  /** {@return whether packets could be sent once} */
  public boolean wasUp() {
    return reported;
  }

  /** Something was sent or received. */
  public void used(long now) {
    usedNs = now;
  }

  @Override
  public String toString() {
    return (active ? "active " : "passive ") + state + ", mtu " + mtu;
  }
}
