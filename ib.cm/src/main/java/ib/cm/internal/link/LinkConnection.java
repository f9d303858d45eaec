package ib.cm.internal.link;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmHandler;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorLink;
import ib.core.cm.ConnectorPsns;
import ib.core.serial.Mailbox;
import ib.core.serial.Place;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the host as {@code ib.cm} has connections, with the events that its handler has
 * not heard yet. Whichever thread moves the state to OVER tells the handler of the end.
 */
final class LinkConnection extends Mailbox<CmEvent> implements CmConnection, ConnectorEvents {
  private static final Logger LOG = LoggerFactory.getLogger(LinkConnection.class);
  static final Place CALLBACKS = Place.virtual("ib-cm-link-");
  private static final int MAX_EVENTS = 8; // more than a connection ever has
  private static final byte[] NONE = {};

  /** How far the connection has come. */
  enum State {
    /** This side has asked. */
    ASKED,
    /** The peer has asked. */
    REQUESTED,
    /** The peer has answered. */
    REPLIED,
    /** This side has answered. */
    ACCEPTED,
    /** Both sides are ready. */
    OPEN,
    /** This side has disconnected. */
    ENDING,
    /** The handler hears of the end, or has heard. */
    OVER
  }

  private final LinkShare share;
  private final int number;
  private final AhAttr way;
  private final CmHandler handler;
  private final AtomicReference<State> state;
  private volatile @Nullable ConnectorLink link;
  private volatile @Nullable ConnectorPsns psns;
  private volatile @Nullable LinkListener listener;
  private volatile boolean refused;
  private final CountDownLatch made = new CountDownLatch(1);
  private final Deadline deadline = new Deadline(); // of the peer's answer

  LinkConnection(LinkShare share, State begin, AhAttr way, CmHandler handler) {
    super(CALLBACKS, MAX_EVENTS);
    this.share = share;
    this.number = share.number();
    this.state = new AtomicReference<>(begin);
    this.way = way;
    this.handler = handler;
  }

  /**
   * The host has the connection.
   *
   * @param deadlineMs by when the peer must have answered, from now; 0 for no deadline
   */
  void made(ConnectorLink by, long deadlineMs) {
    link = by;
    made.countDown();
    deadline.begin(deadlineMs, this::late);
    if (state.get() == State.OVER) {
      by.close(); // the connection has ended meanwhile, and found no link to close
    }
  }

  /**
   * The host has refused to begin the connection, whose handler hears nothing: the caller has the
   * exception. Events that came before are dropped, and no callback waits for the host any more.
   */
  void unmade() {
    refused = true;
    state.set(State.OVER);
    made.countDown();
  }

  /** The starting PSNs are known. */
  void psns(ConnectorPsns known) {
    psns = known;
  }

  /** The peer has asked at a listener. */
  void of(LinkListener ear) {
    listener = ear;
  }

  boolean isOf(LinkListener ear) {
    return ear.equals(listener);
  }

  /** Ends without a word to the handler, which has heard of nothing. */
  void refused() {
    refused = true;
    state.set(State.OVER);
    offer(new CmEvent.Released());
  }

  boolean waits() {
    return state.get() == State.REQUESTED;
  }

  // ---- events ----

  @Override
  protected void hear(CmEvent event) {
    try {
      made.await(); // an event may be faster than the call that has begun the connection
      if (!refused) {
        handler.heard(this, event);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("no code interrupts the callbacks of " + this, e);
    } finally {
      if (event instanceof CmEvent.Released) {
        close(link);
        share.gone(this);
      }
    }
  }

  private static void close(@Nullable ConnectorLink old) {
    if (old != null) {
      old.close();
    }
  }

  @Override
  public void replied(ConnectorEndpoint peer, ConnectorPsns numbers, byte[] data) {
    psns = numbers;
    if (state.compareAndSet(State.ASKED, State.REPLIED)) {
      deadline.over();
      offer(new CmEvent.Replied(endpoint(peer, numbers), data));
    }
  }

  /** {@return a peer's queue pair: it begins to receive where this side begins to send} */
  static CmEndpoint endpoint(ConnectorEndpoint peer, ConnectorPsns numbers) {
    return new CmEndpoint(
        peer.qpn(),
        numbers.send(),
        peer.responderResources(),
        peer.initiatorDepth(),
        peer.rnrRetry(),
        peer.srq());
  }

  @Override
  public void established() {
    if (state.compareAndSet(State.ACCEPTED, State.OPEN)) {
      offer(new CmEvent.Established(NONE));
    }
  }

  @Override
  public void ended(ConnectorEnd how, int status, byte[] data) {
    CmEnd end =
        switch (how) {
          case UNRESOLVED -> CmEnd.UNRESOLVED;
          case FAILED -> CmEnd.FAILED;
          case UNREACHABLE -> CmEnd.UNREACHABLE;
          case REJECTED -> CmEnd.REJECTED;
          case DISCONNECTED -> CmEnd.DISCONNECTED;
          case TIMED_OUT -> CmEnd.TIMED_OUT;
          case REMOVED -> CmEnd.REMOVED;
        };
    over(end, status, data);
  }

  /** Ends the connection, unless it has ended. */
  void over(CmEnd how, int reason, byte[] data) {
    if (state.getAndSet(State.OVER) != State.OVER) {
      tellEnd(how, reason, data);
    }
  }

  /** Ends the attempt, unless the peer has answered, or the attempt has ended. */
  private void late() {
    if (state.compareAndSet(State.ASKED, State.OVER)) {
      tellEnd(CmEnd.UNREACHABLE, 0, NONE);
    }
  }

  private void tellEnd(CmEnd how, int reason, byte[] data) {
    deadline.over();
    offer(new CmEvent.Ended(how, reason, NONE, data));
    offer(new CmEvent.Released());
  }

  // ---- calls ----

  private ConnectorLink step(String what, State from, State to) {
    ConnectorLink by = link;
    if (by == null || !state.compareAndSet(from, to)) {
      throw new IbInvalidException(
          toString() + "." + what, "the state is " + state.get(), from + " is needed");
    }
    return by;
  }

  @Override
  public int localId() {
    return number;
  }

  @Override
  public String state() {
    return String.valueOf(state.get());
  }

  @Override
  public AhAttr source() {
    return way;
  }

  @Override
  public CmEndpoint announced(CmEndpoint mine) {
    ConnectorPsns known = psns;
    if (known == null) {
      throw new IbInvalidException(
          toString(), "the host has not named the starting PSN yet", "the event Replied");
    }
    return new CmEndpoint(
        mine.qpn(),
        known.receive(),
        mine.responderResources(),
        mine.initiatorDepth(),
        mine.rnrRetry(),
        mine.srq());
  }

  @Override
  public void accept(CmEndpoint mine, byte[] privateData) {
    LinkPort.atMost("REP", privateData, 196);
    step("accept", State.REQUESTED, State.ACCEPTED).accept(own(mine), privateData);
  }

  static ConnectorEndpoint own(CmEndpoint mine) {
    return new ConnectorEndpoint(
        mine.qpn(), mine.responderResources(), mine.initiatorDepth(), mine.rnrRetry(), mine.srq());
  }

  @Override
  public void reject(int reason, byte[] info, byte[] privateData) {
    LinkPort.atMost("REJ", privateData, 148);
    if (reason != CONSUMER_REJECT || info.length > 0) {
      throw new IbNotSupportedException(
          toString() + ".reject", "the host rejects with reason 28 only", "reason 28, no info");
    }
    ConnectorLink by = link;
    State now = state.get();
    boolean asks = now == State.REQUESTED || now == State.REPLIED;
    if (by == null || !asks || !state.compareAndSet(now, State.OVER)) {
      throw new IbInvalidException(
          toString() + ".reject", "the state is " + state.get(), "a request or an answer");
    }
    try {
      by.reject(privateData);
    } finally {
      tellEnd(CmEnd.CLOSED, 0, NONE);
    }
  }

  @Override
  public void ready(byte[] privateData) {
    if (privateData.length > 0) {
      throw new IbNotSupportedException(
          toString() + ".ready", "the host's RTU has no private data", "none");
    }
    step("ready", State.REPLIED, State.OPEN).confirm();
    offer(new CmEvent.Established(NONE));
  }

  @Override
  public void dataArrived() {
    ConnectorLink by = link;
    if (by != null && state.get() == State.ACCEPTED) {
      by.dataArrived();
    }
  }

  @Override
  public void disconnect(byte[] privateData) {
    if (privateData.length > 0) {
      throw new IbNotSupportedException(
          toString() + ".disconnect", "the host's DREQ has no private data", "none");
    }
    end();
  }

  @Override
  public void end() {
    State now = state.get();
    ConnectorLink by = link;
    if (now == State.OPEN && by != null) {
      if (state.compareAndSet(State.OPEN, State.ENDING)) {
        disconnect(by);
      }
    } else if (now != State.ENDING) {
      over(CmEnd.CLOSED, 0, NONE); // the link's close tells the peer
    }
  }

  private void disconnect(ConnectorLink by) {
    try {
      by.disconnect();
    } catch (IbException e) { // the peer has disconnected at this moment, or the device goes
      LOG.debug("{} is not disconnected", this, e);
      over(CmEnd.DISCONNECTED, 0, NONE);
    }
  }

  @Override
  public String toString() {
    return "connection " + number + " of " + share;
  }
}
