package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.core.wire.Psn;
import ib.engine.wire.Packet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Decides whether the system may cut long sends to one peer into packets (UDP_SEGMENT). The system
 * numbers the packets 0, 1, 2, … in the IPv4 identification, which the ICRC covers. A network card
 * that cuts them itself may number otherwise; the peer then drops all but the first, without an
 * error. So one packet of a reliable connection is sent as a trial, as the second packet of two.
 * Only if that packet arrives without a retransmission are long sends used. Until then each packet
 * is sent on its own.
 *
 * <p>A request has arrived when the peer acknowledges it. Nothing acknowledges an answer to a read,
 * but a peer has at most 255 reads under way (the verbs have 8 bits for their number): when it has
 * sent that many read requests after the one that the trial answers, and has not asked for the
 * trial again, then the trial has arrived. So a peer that only reads gets long sends as well.
 *
 * <p>Any thread may call; calls do not block.
 */
final class PathProof {
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(PathProof.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The result of trials on the path. */
  enum State {
    /** No trial has been made. */
    UNKNOWN,
    /** The trial packet, a request, is outstanding. */
    REQUEST_TRIED,
    /** The trial packet, an answer to a read, is outstanding. */
    ANSWER_TRIED,
    /** Packets of a long send arrive. */
    PROVEN,
    /** Packets of a long send do not arrive, or the system refuses to cut. */
    REFUTED
  }

  private static final State[] STATES = State.values();
  private static final int MAX_FAILURES = 12; // one loss proves nothing: any packet may get lost
  private static final int ALONE_LOST = 4; // the trial packet is repeated first: it alone was lost
  private static final int ALL_LOST = 1; // the packet before it as well: a full buffer, maybe
  private static final int PROVEN_LOOKS = 60; // seconds; the path may change
  private static final int REFUTED_LOOKS = 60;
  private static final int MAX_SYNDROME_ACK = 0x1f;
  private static final int MAX_READS = 255; // that a queue pair may have outstanding

  private final UdpCounters counters;
  // state, failures, read requests since the trial packet, and its QPN and PSN
  private volatile long word;
  private long seen; // used by look() only
  private int looks;

  PathProof(UdpOptions.Gso wanted, UdpCounters counters) {
    this.counters = counters;
    this.word =
        switch (wanted) {
          case AUTO -> word(State.UNKNOWN, 0, 0, 0);
          case ON -> word(State.PROVEN, MAX_FAILURES, 0, 0);
          case OFF -> word(State.REFUTED, MAX_FAILURES, 0, 0);
        };
    this.looks = wanted == UdpOptions.Gso.AUTO ? 0 : Integer.MIN_VALUE;
  }

  private static long word(State state, int failures, int qpn, int psn) {
    return (long) state.ordinal() << 60 | (long) failures << 56 | (long) qpn << 24 | psn;
  }

  private static State state(long w) {
    return STATES[(int) (w >>> 60)];
  }

  private static int failures(long w) {
    return (int) (w >>> 56) & 0xf;
  }

  private static int reads(long w) {
    return (int) (w >>> 48) & 0xff;
  }

  private static int qpn(long w) {
    return (int) (w >>> 24) & 0xffffff;
  }

  State state() {
    return state(word);
  }

  /**
   * {@return whether a packet may follow another in one send} May make the packet the trial packet.
   */
  boolean joins(Packet p) {
    long w = word;
    State state = state(w);
    boolean reads = answersRead(p.opcode);
    boolean sooner = state == State.ANSWER_TRIED && !reads; // an acknowledgement says more quickly
    if (state != State.UNKNOWN && !sooner) {
      return state == State.PROVEN;
    }
    if (!reads
        && ((p.opcode & 0xe0) != BthOpcode.Service.RC.bits() || answers(p.opcode) || p.repeated)) {
      return false;
    }
    State trial = reads ? State.ANSWER_TRIED : State.REQUEST_TRIED;
    return WORD.compareAndSet(this, w, word(trial, failures(w), p.sourceQpn, p.psn & 0xffffff));
  }

  /**
   * A packet is sent on its own. If it repeats the trial packet, the trial has failed. If it
   * repeats one before that of the same queue pair, the whole send may have been lost where many
   * senders meet, which says little about the path.
   */
  void alone(Packet p) {
    long w = word;
    State state = state(w);
    boolean alike =
        switch (state) {
          case REQUEST_TRIED -> !answers(p.opcode);
          case ANSWER_TRIED -> answersRead(p.opcode);
          default -> false;
        };
    if (!alike || p.sourceQpn != qpn(w)) {
      return;
    }
    int ahead = Psn.diff((int) w & 0xffffff, p.psn & 0xffffff);
    if (ahead == 0) {
      failed(w, ALONE_LOST);
    } else if (ahead > 0 && (p.repeated || state == State.ANSWER_TRIED)) {
      failed(w, ALL_LOST);
    }
  }

  private void failed(long w, int weight) {
    int failures = failures(w) + weight;
    boolean enough = failures >= MAX_FAILURES;
    if (WORD.compareAndSet(this, w, word(enough ? State.REFUTED : State.UNKNOWN, failures, 0, 0))
        && enough) {
      counters.count(UdpCounter.GSO_REFUTED);
    }
  }

  /** The system has refused to cut a send on this path. */
  void refuse() {
    long w = word;
    if (WORD.compareAndSet(this, w, word(State.REFUTED, MAX_FAILURES, 0, 0))) {
      counters.count(UdpCounter.GSO_REFUTED);
    }
  }

  /**
   * Takes note of a packet from the peer. {@return whether it proves that the trial packet arrived}
   */
  boolean heard(Packet p) {
    long w = word;
    return switch (state(w)) {
      case REQUEST_TRIED -> p.destQpn == qpn(w) && answers(p.opcode) && acknowledged(w, p);
      case ANSWER_TRIED ->
          p.destQpn == qpn(w) && p.opcode == BthOpcode.RC_RDMA_READ_REQUEST.value() && read(w, p);
      default -> false;
    };
  }

  private boolean acknowledged(long w, Packet p) {
    boolean plain = (p.opcode & 0x1f) == 0x11 && p.syndrome > MAX_SYNDROME_ACK;
    int through = plain ? Psn.add(p.psn, -1) : p.psn; // a NAK acknowledges all packets before it
    return Psn.diff(through, (int) w & 0xffffff) >= 0 && proven(w);
  }

  private boolean read(long w, Packet p) {
    if (Psn.diff(p.psn, (int) w & 0xffffff) <= 0) {
      return false; // the trial's own read; if it repeats the trial, alone says so
    }
    if (reads(w) + 1 == MAX_READS) {
      return proven(w);
    }
    WORD.weakCompareAndSet(this, w, w + (1L << 48)); // another thread's request may not be counted
    return false;
  }

  private boolean proven(long w) {
    boolean now = WORD.compareAndSet(this, w, word(State.PROVEN, 0, 0, 0));
    if (now) {
      counters.count(UdpCounter.GSO_PROVEN);
    }
    return now;
  }

  private static boolean answersRead(int opcode) {
    return opcode >= BthOpcode.RC_RDMA_READ_RESPONSE_FIRST.value()
        && opcode <= BthOpcode.RC_RDMA_READ_RESPONSE_ONLY.value();
  }

  /** {@return whether an RC opcode is a response, 0x0d to 0x12} */
  static boolean answers(int opcode) {
    return opcode >= 0x0d && opcode <= 0x12;
  }

  /** {@return whether {@link #look} will change the state some time, if no packet does} */
  boolean ages() {
    return looks > Integer.MIN_VALUE / 2 && state() != State.UNKNOWN;
  }

  /**
   * Ages the state: a trial whose connection has ended is repeated, and old results are tested
   * again. One thread calls this once a second.
   */
  void look() {
    long w = word;
    looks = w == seen ? looks + 1 : Math.min(looks, 0);
    seen = w;
    int most =
        switch (state()) {
          case UNKNOWN -> Integer.MAX_VALUE;
          case REQUEST_TRIED, ANSWER_TRIED -> 1;
          case PROVEN -> PROVEN_LOOKS;
          case REFUTED -> REFUTED_LOOKS;
        };
    if (looks > most) {
      boolean again = state() == State.REFUTED;
      WORD.compareAndSet(
          this, w, word(State.UNKNOWN, again ? MAX_FAILURES - ALONE_LOST : failures(w), 0, 0));
    }
  }
}
