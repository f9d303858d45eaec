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
abstract class QpCounts extends QpPath {
  /** The requests that the peer got without packets, and the way to it. */
  final DirectPath directPath;

  /** The requests of the peer that came without packets. */
  final Direction directReceived = new Direction();

  private long @Nullable [] counters; // made when the first packet is counted
  private long @Nullable [] traffic; // made when the first packet is counted

  /** Makes those of a queue pair that sends so many bytes without packets at most. */
  QpCounts(SoftCq sendCq, SoftCq recvCq, long most) {
    super(sendCq, recvCq);
    directPath = new DirectPath(this, most);
  }

  final void count(HcaCounter counter) {
    counters()[counter.ordinal()]++;
  }

  /** Counts something of what the port counts. */
  final void count(Traffic what, int n) {
    traffic()[what.ordinal()] += n;
  }

  /** {@return how often a counter was counted for packets alone} */
  final long packets(HcaCounter counter) {
    return at(counters, counter.ordinal());
  }

  /** {@return the value of a counter, with the requests that took no packet} */
  final long value(HcaCounter counter) {
    return packets(counter) + Direction.share(directPath, directReceived, counter);
  }

  /** {@return the same of a place of what the port counts} */
  final long value(int place) {
    return at(traffic, place) + Direction.share(directPath, directReceived, place, sl);
  }

  /** Counts a packet that arrived; a multicast packet was counted by the port, once for all. */
  final void received(Packet p) {
    int packets = Framing.packets(p);
    counters()[HcaCounter.RCVD_PKTS.ordinal()] += packets;
    if (!p.isMulticast()) {
      long[] traffic = traffic();
      traffic[Traffic.RCV_PKTS.ordinal()] += packets;
      traffic[Traffic.rcvData(p.sl)] += Framing.words(p, packets);
    }
  }

  /** Counts a packet that the queue pair drops, and notes the reason in the packet. */
  final void drop(Packet p, HcaCounter reason) {
    counters()[reason.ordinal()]++;
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
  final void clearCounts() {
    zero(counters);
    zero(traffic);
    directPath.clear();
    directReceived.clear();
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
