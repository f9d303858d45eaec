package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.engine.time.NanoClock;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A port's way to the network: RoCEv2 over ordinary UDP sockets, without privilege (D7). Addresses
 * come and go while it runs. What cannot be sent vanishes, as on every network, and is counted; a
 * reliable sender finds out by its timer.
 */
public final class UdpWire implements Wire, AutoCloseable {
  private static final int SENDERS = 16;
  private static final int BUFFERS = 1024;
  private static final String NOT_SENT = "not sent";

  private final UdpOptions options;
  private final UdpCounters counters = new UdpCounters();
  private final Senders senders = new Senders(SENDERS);
  private final ReceivePool pool = new ReceivePool(BUFFERS, Sender.BYTES, 1, BUFFERS);
  private volatile PortableEndpoint[] endpoints = {}; // replaced under this
  private @Nullable Receiver receiver;

  /**
   * Makes a wire without addresses.
   *
   * @param options how it works
   */
  public UdpWire(UdpOptions options) {
    this.options = options;
  }

  /**
   * Connects the device's side and starts to receive, once, before the first address.
   *
   * @param port the device's port
   * @param run a context for the thread that receives
   * @param threadName its name
   * @throws IOException when the system has no descriptors left
   */
  public synchronized void start(WirePort port, RunContext run, String threadName)
      throws IOException {
    Inbound inbound = new Inbound(port, run, pool, counters, NanoClock.SYSTEM);
    Receiver r = new Receiver(inbound, pool, counters, options.busyPollNs());
    r.start(threadName);
    receiver = r;
  }

  /**
   * Binds a socket to an address, so that packets pass from and to it.
   *
   * @param address one of this host's
   * @throws IOException when the port is taken or the address is not here
   */
  public synchronized void open(InetAddress address) throws IOException {
    Receiver r = receiver;
    if (r == null) {
      throw new IllegalStateException("not started, or closed");
    }
    PortableEndpoint e =
        PortableEndpoint.open(address, options.port(), options.bufferBytes(), counters);
    List<PortableEndpoint> more = new ArrayList<>(List.of(endpoints));
    more.add(e);
    r.register(e);
    replace(more, r);
  }

  /**
   * Closes the socket of an address; nothing happens when there is none.
   *
   * @param address as it was opened
   */
  public synchronized void close(InetAddress address) {
    Receiver r = receiver;
    List<PortableEndpoint> fewer = new ArrayList<>();
    List<PortableEndpoint> gone = new ArrayList<>();
    for (PortableEndpoint e : endpoints) {
      (e.address.equals(address) ? gone : fewer).add(e);
    }
    if (r != null && !gone.isEmpty()) {
      replace(fewer, r);
      gone.forEach(PortableEndpoint::close);
      r.forget();
    }
  }

  private void replace(List<PortableEndpoint> now, Receiver r) {
    endpoints = now.toArray(PortableEndpoint[]::new);
    r.endpoints(endpoints);
  }

  @Override
  public void transmit(Packet packet, RunContext run) {
    Endpoint from = endpoint(packet.sgidHigh, packet.sgidLow);
    if (from == null) {
      discard(packet, UdpCounter.TX_NO_SOURCE, run);
      return;
    }
    Sender sender = senders.claim();
    if (sender == null) {
      discard(packet, UdpCounter.TX_BUSY, run);
      return;
    }
    int length = sender.encode(packet, from, options.port());
    int result =
        length < 0
            ? Endpoint.REFUSED
            : from.send(sender, length, from.destination(packet.dgidHigh, packet.dgidLow));
    senders.giveBack(sender);
    packet.fault |= length == LinkCodec.PAYLOAD_GONE;
    switch (result) {
      case Endpoint.SENT -> {
        counters.count(UdpCounter.UDP_SENT);
        packet.release(run);
      }
      case Endpoint.FULL -> discard(packet, UdpCounter.TX_BUSY, run);
      default -> discard(packet, UdpCounter.TX_ERROR, run);
    }
  }

  private @Nullable Endpoint endpoint(long high, long low) {
    for (PortableEndpoint e : endpoints) {
      if (e.gid.low() == low && e.gid.high() == high) {
        return e;
      }
    }
    return null;
  }

  private void discard(Packet packet, UdpCounter why, RunContext run) {
    counters.count(why);
    packet.dropped = NOT_SENT;
    packet.release(run);
  }

  /** Always: what leaves here are real packets. */
  @Override
  public boolean segments() {
    return true;
  }

  /** Always: a datagram's receive buffer begins with the IP header (IBA annex A17.4.5.1). */
  @Override
  public boolean alwaysGlobal() {
    return true;
  }

  /** {@return the addresses that sockets are bound to now} */
  public List<Gid> gids() {
    return java.util.Arrays.stream(endpoints).map(e -> e.gid).toList();
  }

  @Override
  public Map<String, Long> counters() {
    return counters.named();
  }

  /**
   * Reads a counter.
   *
   * @param which which
   * @return its value
   */
  public long counter(UdpCounter which) {
    return counters.read(which);
  }

  /**
   * Stops receiving. When it returns no thread of the wire is left, and the ports are free; packets
   * that the engine still has stay readable until {@link #close()}.
   */
  public synchronized void stop() {
    Receiver r = receiver;
    receiver = null;
    if (r != null) {
      r.stop();
    }
    PortableEndpoint[] last = endpoints;
    endpoints = new PortableEndpoint[0];
    for (PortableEndpoint e : last) {
      e.close();
    }
  }

  /** Frees the memory, once, after the engine was shut down. */
  @Override
  public void close() {
    senders.close();
    pool.close();
  }
}
