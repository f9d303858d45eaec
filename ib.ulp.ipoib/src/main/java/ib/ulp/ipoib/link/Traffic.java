package ib.ulp.ipoib.link;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Gid;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.ulp.ipoib.link.Statistics.Count;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The packets of a link: out through the queue pair, and in from it to the host. */
final class Traffic implements Loop.Work, UdQueue.Receiver {
  /** What a host may send at once after it has asked for room: a long TCP segment, cut. */
  private static final int BURST = 48;

  private final UdQueue queue;
  private final Statistics statistics;
  private final Frame frame = new Frame();
  private @Nullable Host host;
  private Gid broadcast = Gid.ZERO;
  private long ownInterfaceId;
  private int qkey;
  private boolean refusing;
  private boolean stopped;

  Traffic(UdQueue queue, Statistics statistics) {
    this.queue = queue;
    this.statistics = statistics;
  }

  void start(Host above) {
    host = above;
  }

  /** No host hears anything any more. */
  void stop() {
    stopped = true;
    host = null;
  }

  /** What own packets and broadcasts are told by. */
  void know(Gid broadcastGroup, Gid own) {
    broadcast = broadcastGroup;
    ownInterfaceId = own.low();
    frame.ipv4 = own.isIpv4Mapped();
  }

  void qkey(int value) {
    qkey = value;
    queue.qkey(value);
  }

  /** {@return whether there are buffers; else the host is told when there is one (D8)} */
  boolean hasRoom() {
    boolean room = queue.room() >= BURST;
    refusing |= !room;
    return room;
  }

  void transmit(AddressHandle ah, int qpn, Outgoing packet) {
    transmit(ah, qpn, qkey, packet);
  }

  void transmit(AddressHandle ah, int qpn, int key, Outgoing packet) {
    if (roomOrDrop()) {
      queue.send(ah, qpn, key, packet);
    }
  }

  void transmit(AddressHandle ah, int qpn, byte[] packet) {
    transmit(ah, qpn, qkey, packet);
  }

  void transmit(AddressHandle ah, int qpn, int key, byte[] packet) {
    if (roomOrDrop()) {
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

  private void flush() {
    for (int refused = queue.flush(); refused > 0; refused--) {
      statistics.add(Count.TX_ERRORS, 1);
      statistics.drop(Drop.TX_ERROR);
    }
  }

  private boolean poll() {
    boolean any = queue.poll(this);
    if (any && refusing && queue.room() >= BURST) {
      refusing = false;
      if (host != null) {
        host.writable();
      }
    }
    return any;
  }

  /** That was all for now. */
  void receivedAll() {
    if (host != null) {
      host.receivedAll();
    }
  }

  @Override
  public void sent(int bytes, boolean good) {
    if (good) {
      statistics.add(Count.TX_PACKETS, 1);
      statistics.add(Count.TX_BYTES, bytes);
    } else if (!stopped) {
      statistics.add(Count.TX_ERRORS, 1);
      statistics.drop(Drop.TX_ERROR);
    }
  }

  @Override
  public void receiveError() {
    statistics.drop(Drop.RX_ERROR);
  }

  @Override
  public void datagram(MemorySegment memory, long at, WorkCompletion wc) {
    int length = wc.byteLen() - WellKnown.GRH_BYTES - Encapsulation.BYTES;
    if (length < 0) {
      statistics.drop(Drop.RX_SHORT);
      return;
    }
    frame.connected = Gid.ZERO;
    frame.segment = memory;
    frame.grh = UdQueue.hasGrh(wc) ? at : -1; // W2: with one and without
    frame.at = at + WellKnown.GRH_BYTES + Encapsulation.BYTES;
    frame.length = length;
    frame.type = Encapsulation.type(memory, at + WellKnown.GRH_BYTES);
    frame.slid = wc.slid();
    frame.sourceQpn = wc.srcQp();
    frame.cast = cast(memory, at);
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

  /** A packet with its encapsulation, by the connection of a peer. */
  void connected(MemorySegment memory, long at, int length, LinkAddress from) {
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
    frame.connected = from.gid();
    frame.cast = Frame.Cast.UNICAST;
    deliver();
  }

  /** There are buffers again for packets by connections. */
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
      host.received(frame);
    }
  }

  /** D6: by the destination of the GRH. */
  private Frame.Cast cast(MemorySegment memory, long at) {
    if (frame.ipv4 && frame.grh >= 0) { // RoCE: 224.0.0.0/4; all groups of a partition go by one
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
