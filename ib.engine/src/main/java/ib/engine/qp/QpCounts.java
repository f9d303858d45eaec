package ib.engine.qp;

import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.link.Traffic;
import ib.engine.wire.Framing;
import ib.engine.wire.Packet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one queue pair that its port has not taken over yet (D11). Only the thread that
 * holds the queue pair's claim counts; any thread may read, roughly.
 */
@SuppressWarnings("MultiVariableDeclaration") // padding
abstract class QpCounts extends DirectState {
  long b0, b1, b2, b3, b4, b5, b6; // behind DirectState

  /** The requests of the peer that came without packets. */
  public final Direction directReceived = new Direction((QpCore) this);

  private long @Nullable [] counters; // made when the first packet is counted
  private long @Nullable [] traffic; // made when the first packet is counted

  /** Makes those of a queue pair that sends so many bytes without packets at most. */
  QpCounts(SoftCq sendCq, SoftCq recvCq, long most) {
    super(sendCq, recvCq, most);
  }

  public final void count(HcaCounter counter) {
    counters()[counter.ordinal()]++;
  }

  public final void count(HcaCounter counter, int n) {
    counters()[counter.ordinal()] += n;
  }

  /** Counts something of what the port counts. */
  public final void count(Traffic what, int n) {
    traffic()[what.ordinal()] += n;
  }

  /** {@return how often a counter was counted for packets alone} */
  public final long packets(HcaCounter counter) {
    return at(counters, counter.ordinal());
  }

  /** {@return the value of a counter, with the requests that took no packet} */
  public final long value(HcaCounter counter) {
    return packets(counter) + direct(counter);
  }

  /** {@return the same of a place of what the port counts} */
  public final long value(int place) {
    return at(traffic, place) + direct(place);
  }

  /** {@return what a counter has more because requests took no packet} */
  private long direct(HcaCounter counter) {
    return switch (counter) {
      case SENT_PKTS -> directRequests + directReceived.answers;
      case RCVD_PKTS -> directAnswers + directReceived.requests;
      case RDMA_SENDS -> directMessages;
      case RDMA_RECVS -> directReceived.messages;
      default -> 0;
    };
  }

  /**
   * {@return the same of a place of what its port counts; both ways are on one service level, that
   * of the queue pair's route}
   */
  private long direct(int place) {
    if (place == Traffic.XMIT_PKTS.ordinal()) {
      return directRequests + directReceived.answers;
    } else if (place == Traffic.RCV_PKTS.ordinal()) {
      return directAnswers + directReceived.requests;
    } else if (place == Traffic.xmitData(sl)) {
      return directRequestWords + directReceived.answerWords;
    } else if (place == Traffic.rcvData(sl)) {
      return directAnswerWords + directReceived.requestWords;
    }
    return 0;
  }

  /** Counts a packet that arrived; a multicast packet was counted by the port, once for all. */
  public final void received(Packet p) {
    int packets = Framing.packets(p);
    counters()[HcaCounter.RCVD_PKTS.ordinal()] += packets;
    if (!p.isMulticast()) {
      long[] traffic = traffic();
      traffic[Traffic.RCV_PKTS.ordinal()] += packets;
      traffic[Traffic.rcvData(p.sl)] += Framing.words(p, packets);
    }
  }

  /** Counts a packet that the queue pair drops, and notes the reason in the packet. */
  public final void drop(Packet p, HcaCounter reason) {
    counters()[reason.ordinal()] += Framing.packets(p);
    p.dropped = reason.label();
  }

  /** Counts a packet that the queue pair sends. */
  final void sent(Packet p) {
    int packets = Framing.packets(p);
    counters()[HcaCounter.SENT_PKTS.ordinal()] += packets;
    long[] traffic = traffic();
    traffic[Traffic.XMIT_PKTS.ordinal()] += packets;
    traffic[Traffic.xmitData(p.sl)] += Framing.words(p, packets);
    if (p.isMulticast()) {
      traffic[Traffic.XMIT_MULTICAST.ordinal()] += packets;
    }
  }

  /** Begins at 0, after the port has taken all over. */
  public final void clearCounts() {
    zero(counters);
    zero(traffic);
    directMessages = 0;
    directRequests = 0;
    directRequestWords = 0;
    directAnswers = 0;
    directAnswerWords = 0;
    directReceived.zero();
  }

  private long[] counters() {
    long[] all = counters;
    if (all == null) {
      all = new long[HcaCounter.values().length];
      counters = all;
    }
    return all;
  }

  private long[] traffic() {
    long[] all = traffic;
    if (all == null) {
      all = new long[Traffic.COUNT];
      traffic = all;
    }
    return all;
  }

  private static long at(long @Nullable [] all, int place) {
    return all == null ? 0 : all[place];
  }

  private static void zero(long @Nullable [] all) {
    if (all != null) {
      Arrays.fill(all, 0);
    }
  }
}
