package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.engine.time.NanoClock;
import ib.engine.wire.DatagramCodec;
import ib.engine.wire.HiddenId;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Decodes datagrams to packets and hands them to the port. Every datagram becomes a packet, or is
 * dropped and counted by reason, before any state is used (D9). Only the thread that holds the
 * receive ring may call; calls do not block.
 */
final class Inbound implements DatagramCodec.Doubt {
  private static final int UNKNOWN_HOPS = 64;

  private final WirePort port;
  private final RunContext run;
  private final ReceivePool pool;
  private final UdpCounters counters;
  private final RefusedDatagrams refusals;
  private final NanoClock clock;
  private final Own own;
  private final IpHeaders headers = new IpHeaders();
  private final DatagramCodec codec;
  private final IdBook ids = new IdBook();
  private final boolean strict;
  private long peer; // number of the peer whose datagram is being decoded
  private boolean mayHide;
  private int guess; // the expected identification
  private int first; // identification of the first packet of a receive
  private int step = 1; // difference of identifications in one receive
  private int id;
  private boolean marked;
  private int taken; // packets since taken() was called

  /** Tests whether a GID is one of this device's. */
  @FunctionalInterface
  interface Own {
    boolean test(long high, long low);
  }

  Inbound(
      WirePort port,
      RunContext run,
      ReceivePool pool,
      UdpCounters counters,
      RefusedDatagrams refusals,
      NanoClock clock,
      Own own,
      UdpOptions options) {
    this.codec = new DatagramCodec(options.has(Quirk.FLUSH_ICRC));
    this.strict = options.idCheck() == UdpOptions.IdCheck.STRICT;
    this.port = port;
    this.run = run;
    this.pool = pool;
    this.counters = counters;
    this.refusals = refusals;
    this.clock = clock;
    this.own = own;
  }

  /**
   * Decodes a datagram and hands its packet to the port.
   *
   * @param to endpoint that received the datagram
   * @param buffer buffer with the datagram; this call ends one {@link ReceiveBuffer#use} of the
   *     caller
   * @param number index of the packet in the buffer, from 0
   * @param at offset of the BTH
   * @param length bytes from BTH through ICRC
   * @param high upper half of the source GID
   * @param low lower half of the source GID
   * @param sourcePort UDP source port
   * @param trafficClass received traffic class; 0 when unknown
   * @param flowLabel received flow label; 0 when unknown
   * @param hopLimit received hop limit; 0 when unknown
   */
  void datagram(
      Endpoint to,
      ReceiveBuffer buffer,
      int number,
      long at,
      int length,
      long high,
      long low,
      int sourcePort,
      int trafficClass,
      int flowLabel,
      int hopLimit) {
    taken++;
    if (to.gid.isMulticast() && own.test(high, low)) {
      buffer.unuse();
      return; // the engine has delivered it to this device's members when it was sent
    }
    Packet p = pool.packet(buffer);
    if (p == null) {
      buffer.unuse();
      counters.count(UdpCounter.RX_OVERRUN);
      return;
    }
    boolean taken = false;
    try {
      DropReason reason = decode(to, buffer, number, at, length, high, low, sourcePort, p);
      if (reason != null) {
        refusals.refused(reason, high, low, sourcePort);
        port.dropped(reason);
        p.release(run);
        return;
      }
      p.congested = Ecn.isCongested(trafficClass);
      if (p.congested) {
        counters.count(UdpCounter.NP_ECN_MARKED);
      } else if (marked && Ecn.isCapable(trafficClass)) {
        p.congested = true;
        counters.count(UdpCounter.NP_BUFFER_MARKED);
      }
      address(p, to, high, low);
      p.trafficClass = trafficClass;
      p.flowLabel = flowLabel;
      p.hopLimit = hopLimit == 0 ? UNKNOWN_HOPS : hopLimit;
      p.sourcePort = sourcePort;
      p.identification = mayHide ? id : 0;
      p.icrc = Icrc.load(buffer.bytes, at + length - Icrc.BYTES);
      to.heard(p);
      if ((p.opcode & 0xe0) == BthOpcode.Service.UD.bits()) {
        header(p, to, buffer.header(number), length);
      }
      taken = true;
      port.receive(p, run);
    } catch (Throwable e) { // whatever a sender can cause: the next datagram is received
      failed(e);
      if (!taken) {
        p.release(
            run); // the port has not received it; a packet that was handed over may be in a queue
      }
    }
  }

  /**
   * Marks the packets of the next datagrams for congestion, or does not, as {@link Backlog} says. A
   * packet is marked only if its sender asks for marks: Linux's rxe takes the notification for an
   * answer.
   */
  void marked(boolean on) {
    marked = on;
  }

  private @Nullable DropReason decode(
      Endpoint to,
      ReceiveBuffer buffer,
      int number,
      long at,
      int length,
      long high,
      long low,
      int sourcePort,
      Packet p) {
    peer = high ^ low;
    mayHide = to.network == Icrc.Network.IPV4;
    guess = number == 0 ? 0 : id + step & 0xffff;
    id = guess;
    codec.flow(to.network, high, low, to.gid.high(), to.gid.low(), sourcePort, to.port, guess);
    DropReason reason = codec.decode(buffer.bytes, buffer.view, at, length, p, this);
    if (reason == null && number == 1) {
      step = id - first;
    } else if (reason == null && number == 0) {
      first = id;
    }
    return reason;
  }

  /** Writes the network header that the receive buffer of a UD datagram begins with. */
  private void header(Packet p, Endpoint to, MemorySegment header, int length) {
    headers.write(p, to.network, to.port);
    headers.length(to.network, length);
    headers.store(p, to.network, header);
    p.networkHeader = header;
  }

  /** Counts a failure of this driver and keeps it for the log. */
  void failed(Throwable why) {
    refusals.failed(why);
    counters.count(UdpCounter.RX_FAILED);
  }

  private static void address(Packet p, Endpoint to, long high, long low) {
    p.slid = 0;
    p.dlid = 0;
    p.sl = 0;
    p.global = true;
    p.sgidHigh = high;
    p.sgidLow = low;
    p.dgidHigh = to.gid.high();
    p.dgidLow = to.gid.low();
  }

  /**
   * Called when the ICRC does not fit the expected identification: computes the identification that
   * it fits, if any.
   */
  @Override
  public boolean admits(int difference, int length) {
    int off = mayHide ? HiddenId.solve(difference, length) : HiddenId.UNSOLVED;
    if (off < 0) {
      boolean flags = off == HiddenId.FRAGMENTABLE;
      counters.count(flags ? UdpCounter.DROP_WRONG_FLAGS : UdpCounter.DROP_ICRC_ERROR);
      return false;
    }
    int solved = guess ^ off; // a CRC is affine
    IdBook.Grade grade = ids.judge(peer, solved, clock.nanoTime());
    counters.count(
        switch (grade) {
          case STRICT -> UdpCounter.ID_SOLVED;
          case LOOSE -> UdpCounter.ID_LOOSE;
          case JUMP -> strict ? UdpCounter.DROP_ID_JUMP : UdpCounter.ID_JUMP;
        });
    id = solved;
    return grade != IdBook.Grade.JUMP || !strict;
  }

  /** {@return the number of packets since the last call} */
  int taken() {
    int n = taken;
    taken = 0;
    return n;
  }

  /** Ends a batch: runs the queue pairs that the packets have scheduled. */
  void finish() {
    run.finishBatch();
    pool.rewind();
  }

  /** Sends the acknowledgements that were held back. */
  void catchUp() {
    if (run.catchUp()) {
      run.finish();
    }
  }
}
