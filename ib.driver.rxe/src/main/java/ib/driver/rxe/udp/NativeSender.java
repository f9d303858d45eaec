package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.driver.rxe.udp.Destinations.Destination;
import ib.engine.wire.DatagramCodec;
import ib.engine.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers packets. Successive packets to the same peer over the same socket, all of one length but
 * the last, become one message that the system cuts (UDP_SEGMENT). One call (sendmmsg) sends all
 * messages of one socket. Most of the system's cost is per message.
 */
final class NativeSender extends Sender {
  private static final int MAX_MESSAGES = 32;
  private static final int MAX_SEGMENTS = 64; // older kernels accept no more
  private static final int MAX_MESSAGE_BYTES = 65_000; // an IP packet has at most 65535 bytes
  private static final int GATHERED_ENOUGH = 1 << 15; // no message is begun above this
  private static final int MAX_GATHERED = GATHERED_ENOUGH + MAX_MESSAGE_BYTES;

  private final Libc libc;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes = arena.allocate(MAX_GATHERED + BYTES, 64);
  private final ByteBuffer view = bytes.asByteBuffer();
  private final Departures departures = new Departures(MAX_MESSAGES, bytes.address());
  private final @Nullable NativeEndpoint[] sockets = new @Nullable NativeEndpoint[MAX_MESSAGES];
  private final @Nullable Destination[] peers = new @Nullable Destination[MAX_MESSAGES];
  private final int[] segments = new int[MAX_MESSAGES];
  private final int[] labels = new int[MAX_MESSAGES]; // flow labels of the messages
  private int messages;
  private int gathered; // bytes
  // the last message
  private @Nullable NativeEndpoint socket;
  private @Nullable Destination peer;
  private int trafficClass;
  private int flowLabel;
  private int hopLimit;
  private int start;
  private int first; // length of the message's first datagram
  private int count;
  private boolean full;
  private boolean acknowledges; // whether the first datagram is an acknowledgement

  NativeSender(Senders home, int index, UdpCounters counters, UdpOptions options, Libc libc) {
    super(home, index, counters, options);
    this.libc = libc;
  }

  @Override
  @Nullable UdpCounter add(Packet p, Endpoint main, Endpoint by) {
    int length = DatagramCodec.length(p);
    if (length < 0) {
      return UdpCounter.TX_ERROR;
    }
    if (p.hopLimit <= 1) { // applications set 1 to let the system choose
      p.hopLimit = hops(p);
    }
    p.trafficClass = Ecn.capable(p);
    Destination to = main.peers.get(p.dgidHigh, p.dgidLow);
    NativeEndpoint over = (NativeEndpoint) by;
    if (over.four || !over.labels()) {
      p.flowLabel = 0;
    }
    boolean joins = fits(p, to, over, length) && to.proof().joins(p);
    if (!joins) {
      if (gathered >= GATHERED_ENOUGH) {
        send();
      }
      to.proof().alone(p);
    }
    if (joins && length > first) {
      return addBefore(p, over, length);
    }
    if (encode(p, by, joins ? count : 0, bytes, view, gathered) < 0) {
      return UdpCounter.TX_ERROR;
    }
    if (joins) {
      count++;
      full = length < first || count == MAX_SEGMENTS;
    } else {
      begin(p, to, over, length);
    }
    gathered += length;
    return null;
  }

  /** {@return whether a packet may become a datagram of the last message} */
  private boolean fits(Packet p, Destination to, NativeEndpoint over, int length) {
    return !full
        && messages > 0
        && to.equals(peer)
        && over.equals(socket)
        && (length <= first || overtakes(p, to))
        && p.trafficClass == trafficClass
        && p.flowLabel == flowLabel
        && p.hopLimit == hopLimit
        && gathered - start + length <= MAX_MESSAGE_BYTES;
  }

  /**
   * {@return whether a packet may be sent before the first datagram of the last message} Only
   * requests may overtake, and only acknowledgements, which do not depend on each other. A captured
   * packet is not overtaken, since its identification would change.
   */
  private boolean overtakes(Packet p, Destination to) {
    return count == 1
        && acknowledges
        && !PathProof.answers(p.opcode)
        && to.proof().state() == PathProof.State.PROVEN;
  }

  /**
   * Puts a request before the acknowledgement that it shares a message with, because only the last
   * datagram of a message may be shorter.
   */
  private @Nullable UdpCounter addBefore(Packet p, NativeEndpoint over, int length) {
    int behind = start + length;
    MemorySegment.copy(bytes, start, bytes, behind, first);
    DatagramCodec.renumber(over.network, bytes, behind, first);
    if (encode(p, over, 0, bytes, view, start) < 0) {
      MemorySegment.copy(bytes, behind, bytes, start, first);
      DatagramCodec.renumber(over.network, bytes, start, first);
      return UdpCounter.TX_ERROR;
    }
    first = length;
    count = 2;
    full = true;
    gathered += length;
    return null;
  }

  private void begin(Packet p, Destination to, NativeEndpoint over, int length) {
    if (messages == MAX_MESSAGES) {
      int at = gathered;
      send();
      MemorySegment.copy(bytes, at, bytes, 0, length); // the packet was written after the others
    }
    end();
    socket = over;
    peer = to;
    trafficClass = p.trafficClass;
    flowLabel = p.flowLabel;
    hopLimit = p.hopLimit;
    start = gathered;
    first = length;
    count = 1;
    full = false;
    acknowledges = p.opcode == BthOpcode.RC_ACKNOWLEDGE.value() && !p.observed();
    sockets[messages] = over;
    peers[messages] = to;
    labels[messages] = flowLabel;
    boolean special = hopLimit != hops(p);
    departures.begin(messages, over, to, start, p, special ? hopLimit : 0);
    messages++;
  }

  /** Ends the last message. */
  private void end() {
    if (messages > 0) {
      int last = messages - 1;
      segments[last] = count;
      if (count == 1) {
        departures.end(last, gathered - start);
      } else {
        departures.end(last, gathered - start, first);
      }
    }
  }

  @Override
  void send() {
    end();
    for (int from = 0; from < messages; ) {
      NativeEndpoint over = sockets[from];
      int to = from + 1;
      while (to < messages && sockets[to] == over) {
        to++;
      }
      if (over != null) {
        send(over, from, to);
      }
      from = to;
    }
    for (int i = 0; i < messages; i++) {
      sockets[i] = null;
      peers[i] = null;
    }
    messages = 0;
    gathered = 0;
    full = true;
  }

  private void send(NativeEndpoint over, int from, int to) {
    int next = from;
    while (next < to) {
      int sent = departures.send(libc, over.fd(), next, to - next);
      for (int i = next; i < next + sent; i++) {
        counters.count(UdpCounter.UDP_SENT, segments[i]);
        if (segments[i] > 1) {
          counters.count(UdpCounter.GSO_SENT, segments[i]);
        }
      }
      next += sent;
      if (sent == 0) {
        next = lost(over, next, to);
      }
    }
  }

  /**
   * Counts a message that the system refused as lost; if the socket's buffer is full, also those
   * after it. {@return the index of the next message to send}
   */
  private int lost(NativeEndpoint over, int at, int to) {
    int errno = departures.errno();
    if (errno == Libc.EAGAIN || errno == Libc.ENOBUFS) {
      for (int i = at; i < to; i++) {
        counters.count(UdpCounter.TX_BUSY, segments[i]);
      }
      return to;
    }
    counters.count(UdpCounter.TX_ERROR, segments[at]);
    Destination peer = peers[at];
    if (labels[at] != 0 && errno == Libc.EINVAL) {
      over.refuseLabels();
    } else if (segments[at] > 1 && peer != null && (errno == Libc.EIO || errno == Libc.EINVAL)) {
      peer.proof().refuse();
    }
    return at + 1;
  }

  @Override
  void free() {
    departures.close();
    arena.close();
  }
}
