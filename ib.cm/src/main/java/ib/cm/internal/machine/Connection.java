package ib.cm.internal.machine;

import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection of a {@link Station}, which alone reads and writes it. */
public final class Connection {
  static final long NO_TIMER = Long.MAX_VALUE;
  static final byte[] NOTHING = {};

  final int id;
  final boolean active;
  final CmPath path;
  final Transport transport;
  final CmTerms terms;
  final long begunNs;

  State state = State.IDLE;
  Consumer<CmEvent> ears = event -> {};
  AhAttr way;
  int pkeyIndex;
  long tid;
  long serviceId;
  long remoteGuid;
  int remoteId;
  @Nullable CmEndpoint mine;
  @Nullable CmEndpoint peer;

  /** The listener whose backlog the connection is part of; null when it is part of none. */
  @Nullable Listener waitsAt;

  /** Whether a passive side had to send its REP again. */
  boolean overdue;

  /** Private data of the owner's last call. */
  byte[] privateData = NOTHING;

  byte[] info = NOTHING;
  int reason;

  /** The REQ, REP or DREQ that waits for its answer. */
  @Nullable CmMessage asked;

  byte[] rtuData = NOTHING;
  int tries;
  int extensions;
  long timerNs = NO_TIMER;

  Connection(int id, boolean active, CmPath path, Transport transport, CmTerms terms, long nowNs) {
    this.id = id;
    this.active = active;
    this.path = path;
    this.transport = transport;
    this.terms = terms;
    way = path.way();
    pkeyIndex = path.pkeyIndex();
    begunNs = nowNs;
  }

  /** {@return this side's name of the connection} */
  public int id() {
    return id;
  }

  /** {@return the state} */
  public State state() {
    return state;
  }

  /** {@return the way on which messages go} */
  public AhAttr way() {
    return way;
  }

  /** {@return the connection as a person would look for it} */
  public String what() {
    return String.format(
        active ? "connect to service 0x%016x at %s" : "connection to service 0x%016x of %s",
        serviceId,
        path.remote());
  }

  /** {@return whether the connection has heard a message before} */
  boolean hasHeard(Input message) {
    return switch (message) {
      case REQ -> state != State.IDLE;
      case REP -> remoteId != 0;
      case DREQ -> state == State.TIMEWAIT;
      default -> false;
    };
  }

  CmEndpoint mine() {
    return given(mine);
  }

  CmEndpoint peer() {
    return given(peer);
  }

  private static CmEndpoint given(@Nullable CmEndpoint end) {
    if (end == null) {
      throw new IllegalStateException("a queue pair is not known in this state");
    }
    return end;
  }

  @Override
  public String toString() {
    return String.format("connection 0x%08x (%s)", id, state);
  }
}
