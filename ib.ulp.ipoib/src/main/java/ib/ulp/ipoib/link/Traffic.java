package ib.ulp.ipoib.link;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends the packets of a link through the datagram queue pair, and hands received packets to the
 * host. Used on the loop's thread only.
 */
final class Traffic implements Loop.Work, UdQueue.Receiver {
  /**
   * How many packets a host may send after {@link #hasRoom} returned true: one long TCP packet, cut
   * into segments.
   */
  private static final int BURST = 48;

  private final UdQueue queue;
  private final Statistics statistics;
  private final Loop loop;
  final NearSends near;
  private final Frame frame = new Frame();
  private @Nullable Host host;
  private Gid broadcast = Gid.ZERO;
  private long ownInterfaceId;
  private int qkey;
  private boolean beyond; // the batch has packets that do not go to a link of this client
  private boolean refusing;
  private boolean stopped;

  Traffic(UdQueue queue, Statistics statistics, Loop loop, NearSends near) {
    this.queue = queue;
    this.near = near;
    this.loop = loop;
    this.statistics = statistics;
  }

  void start(Host above) {
    host = above;
  }

  /** Stops polling; from now on the host is not called any more. */
  void stop() {
    stopped = true;
    host = null;
  }

  /** Sets the addresses by which broadcasts and this interface's own packets are recognized. */
  void know(Gid broadcastGroup, Gid own) {
    broadcast = broadcastGroup;
    ownInterfaceId = own.low();
    frame.ipv4 = own.isIpv4Mapped();
  }

  void qkey(int value) {
    qkey = value;
    queue.qkey(value);
  }

  /** {@return whether send buffers are free; if not, {@link Host#writable} follows (D8)} */
  boolean hasRoom() {
    boolean room = room();
    refusing |= !room;
    return room;
  }

  private boolean room() {
    LongBuffers longs = queue.longs();
    return queue.room() >= BURST && (longs == null || longs.current() != null);
  }

  /** Sends a long packet from a long buffer; the device cuts it into segments. */
  void transmitLong(AddressHandle ah, LinkAddress to, LongBuffers there, Outgoing packet) {
    if (roomOrDrop()) {
      beyond |= !near.reaches(to);
      queue.sendLong(ah, to.qpn(), qkey, there, packet);
    }
  }

  /** Sends a packet to the link that has a queue pair of a port. */
  void transmit(AddressHandle ah, Gid gid, int qpn, Outgoing packet) {
    if (roomOrDrop()) {
      beyond |= !near.reaches(gid, qpn);
      queue.send(ah, qpn, qkey, packet);
    }
  }

  void transmit(AddressHandle ah, int qpn, int key, Outgoing packet) {
    if (roomOrDrop()) {
      beyond = true;
      queue.send(ah, qpn, key, packet);
    }
  }

  void transmit(AddressHandle ah, int qpn, byte[] packet) {
    transmit(ah, qpn, qkey, packet);
  }

  void transmit(AddressHandle ah, int qpn, int key, byte[] packet) {
    if (roomOrDrop()) {
      beyond = true;
      queue.send(ah, qpn, key, packet);
    }
  }

  private boolean roomOrDrop() {
    if (queue.room() == 0) {
      flush();
      poll();
    }
    if (queue.room() == 0) {
      statistics.drop(Drop.TX_RING_FULL);
      return false;
    }
    return true;
  }

  @Override
  public boolean step() {
    if (stopped) {
      return false;
    }
    flush();
    boolean busy = poll();
    busy |= queue.receive(this, this::receivedAll) > 0;
    flush();
    return busy;
  }

  @Override
  public boolean arm() {
    return !stopped && queue.arm();
  }

  /** Posts the batch; the handlers of links that it wakes run before this returns. */
  private void flush() {
    boolean keeps = !beyond;
    beyond = false;
    if (keeps) {
      near.begin();
    }
    try {
      for (int refused = queue.flush(); refused > 0; refused--) {
        statistics.add(Count.TX_ERRORS, 1);
        statistics.drop(Drop.TX_ERROR);
      }
    } finally {
      if (keeps) {
        near.end();
      }
    }
  }

  private boolean poll() {
    boolean any = queue.poll(this);
    if (any) {
      roomAgain();
    }
    return any;
  }

  /** Notifies the host of free send buffers, if {@link #hasRoom} returned false before. */
  void roomAgain() {
    if (refusing && room()) {
      refusing = false;
      writable();
    }
  }

  /** Notifies the host of the end of a batch of received packets. */
  void receivedAll() {
    if (host != null) {
      host.receivedAll();
    }
  }

  @Override
  public void sent(int packets, int bytes, boolean good) {
    if (good) {
      statistics.add(Count.TX_PACKETS, packets);
      statistics.add(Count.TX_BYTES, bytes);
    } else if (!stopped) {
      statistics.add(Count.TX_ERRORS, 1);
      statistics.drop(Drop.TX_ERROR);
    }
  }

  @Override
  public void receiveError() {
    frame.mss = 0;
    statistics.drop(Drop.RX_ERROR);
  }

  @Override
  public void datagram(MemorySegment memory, long at, WorkCompletion wc) {
    if (frame.mss > 0 && wc.mss() > 0) {
      continued(at, wc);
      return;
    }
    int length = wc.byteLen() - WellKnown.GRH_BYTES - Encapsulation.BYTES;
    if (length < 0) {
      statistics.drop(Drop.RX_SHORT);
      return;
    }
    frame.connected = Gid.ZERO;
    frame.segment = memory;
    frame.grh = UdQueue.hasGrh(wc) ? at : -1; // W2: a datagram may have a GRH or not
    frame.at = at + WellKnown.GRH_BYTES + Encapsulation.BYTES;
    frame.length = length;
    frame.type = Encapsulation.type(memory, at + WellKnown.GRH_BYTES);
    frame.slid = wc.slid();
    frame.sourceQpn = wc.srcQp();
    frame.cast = cast(memory, at);
    frame.mss = wc.mss();
    if (frame.mss > 0) {
      frame.pieceLength[0] = length;
      frame.pieces = 1;
      if (!UdQueue.more(wc)) {
        together(wc);
      }
      return;
    }
    if (frame.cast != Frame.Cast.UNICAST
        && wc.srcQp() == queue.qpn()
        && frame.sourceGid().low() == ownInterfaceId) {
      statistics.drop(Drop.RX_OWN); // D6
      return;
    }
    if (frame.cast != Frame.Cast.UNICAST) {
      statistics.add(Count.MULTICAST, 1);
    }
    deliver();
  }

  /** Adds a piece to a packet of coalesced segments. */
  private void continued(long at, WorkCompletion wc) {
    frame.pieceAt[frame.pieces] = at;
    frame.pieceLength[frame.pieces++] = wc.byteLen();
    frame.length += wc.byteLen();
    if (!UdQueue.more(wc)) {
      together(wc);
    }
  }

  /** Hands a packet of coalesced segments to the host, after its last piece. */
  private void together(WorkCompletion wc) {
    int header = frame.headers();
    int data = frame.length - header;
    if ((wc.wcFlags() & WcFlags.IP_CSUM_OK) == 0) {
      statistics.drop(Drop.RX_ERROR);
    } else if (header == 0 || data <= 0 || host == null || !host.takesLong()) {
      statistics.drop(Drop.RX_TYPE);
    } else {
      int count = (data + frame.mss - 1) / frame.mss;
      statistics.add(Count.RX_PACKETS, count);
      statistics.add(Count.RX_BYTES, data + (long) count * header);
      statistics.add(Count.GRO_FRAMES, 1);
      statistics.add(Count.GRO_SEGMENTS, count);
      hand(host);
    }
    frame.mss = 0;
  }

  /** {@return whether the host accepts coalesced segments and whole packets} */
  boolean takesLong() {
    return host != null && host.takesLong();
  }

  /**
   * Hands a packet that arrived on a connection to the host; it begins with its encapsulation.
   *
   * @param mss payload bytes of each segment of a whole TCP packet; 0 for any other packet
   */
  void connected(MemorySegment memory, long at, int length, LinkAddress from, int mss) {
    int bytes = length - Encapsulation.BYTES;
    if (bytes < 0) {
      statistics.drop(Drop.RX_SHORT);
      return;
    }
    frame.segment = memory;
    frame.grh = -1;
    frame.at = at + Encapsulation.BYTES;
    frame.length = bytes;
    frame.type = Encapsulation.type(memory, at);
    frame.slid = 0;
    frame.sourceQpn = from.qpn();
    frame.mss = mss;
    frame.pieces = 1;
    frame.pieceLength[0] = bytes;
    frame.connected = from.gid();
    frame.cast = Frame.Cast.UNICAST;
    if (mss > 0 && frame.headers() == 0) {
      statistics.drop(Drop.RX_TYPE);
    } else {
      statistics.add(Count.RX_WHOLE, mss > 0 ? 1 : 0);
      deliver();
    }
    frame.mss = 0;
  }

  /** Notifies the host of free send buffers. */
  void writable() {
    if (host != null) {
      host.writable();
    }
  }

  private void deliver() {
    statistics.add(Count.RX_PACKETS, 1);
    statistics.add(Count.RX_BYTES, frame.length);
    if (!Encapsulation.carries(frame.type)) {
      statistics.drop(Drop.RX_TYPE);
    } else if (host != null) {
      hand(host);
    }
  }

  /** Hands the frame to a host. A throw of the host affects neither other packets nor buffers. */
  private void hand(Host to) {
    try {
      to.received(frame);
    } catch (Throwable e) {
      loop.outlive(e);
    }
  }

  /** D6: {@return how the packet was addressed, by the destination of its GRH} */
  private Frame.Cast cast(MemorySegment memory, long at) {
    if (frame.ipv4
        && frame.grh >= 0) { // RoCE: 224.0.0.0/4; all groups of a partition share one address
      boolean group = Octets.u8(memory, at + 36) >>> 4 == 0xe;
      return group ? Frame.Cast.MULTICAST : Frame.Cast.UNICAST;
    }
    if (frame.grh < 0 || Octets.u8(memory, at + 24) != 0xff) {
      return Frame.Cast.UNICAST;
    }
    boolean everybody =
        Octets.u64(memory, at + 24) == broadcast.high()
            && Octets.u64(memory, at + 32) == broadcast.low();
    return everybody ? Frame.Cast.BROADCAST : Frame.Cast.MULTICAST;
  }
}
