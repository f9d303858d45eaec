package ib.driver.rxe.udp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint of what every Java has: an unconnected channel that forbids fragmentation, so that
 * Linux sends IPv4 identification 0 (D7). It does not block, so an interrupted caller does not
 * close it.
 */
final class PortableEndpoint extends Endpoint {
  private final DatagramChannel channel;

  private PortableEndpoint(
      InetAddress address,
      UdpOptions options,
      int localPort,
      DatagramChannel channel,
      UdpCounters counters) {
    super(address, options, localPort, counters);
    this.channel = channel;
  }

  /**
   * Binds.
   *
   * @param address the local address, or the group
   * @param on the interface that it belongs to
   * @param options port and buffers
   * @param localPort the port to bind; nothing is received on another than that of the options
   * @param counters where errors are counted
   * @return the endpoint
   * @throws IOException when the port is taken or the address is not here
   */
  static PortableEndpoint open(
      InetAddress address,
      NetworkInterface on,
      UdpOptions options,
      int localPort,
      UdpCounters counters)
      throws IOException {
    boolean four = Addresses.four(address);
    DatagramChannel channel =
        DatagramChannel.open(four ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    boolean bound = false;
    try {
      channel.configureBlocking(false);
      channel.setOption(
          StandardSocketOptions.SO_RCVBUF, localPort == options.port() ? options.bufferBytes() : 1);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, options.bufferBytes());
      if (four) {
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      }
      boolean group = address.isMulticastAddress();
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, group); // for other devices' members
      channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, on);
      channel.bind(new InetSocketAddress(address, localPort));
      if (group) {
        channel.join(address, on);
      }
      bound = true;
      return new PortableEndpoint(address, options, localPort, channel, counters);
    } finally {
      if (!bound) {
        channel.close();
      }
    }
  }

  void register(Selector selector) throws ClosedChannelException {
    if (channel.isOpen() && channel.keyFor(selector) == null) {
      channel.register(selector, SelectionKey.OP_READ, this);
    }
  }

  /**
   * Sends a datagram. Never waits.
   *
   * @param bytes what is sent, from position to limit
   * @param to where to
   * @return why it was not sent, or null
   */
  @Nullable UdpCounter send(ByteBuffer bytes, InetSocketAddress to) {
    try {
      return channel.send(bytes, to) > 0 ? null : UdpCounter.TX_BUSY;
    } catch (IOException | RuntimeException e) {
      return UdpCounter.TX_ERROR; // no route, no permission, or just closed
    }
  }

  /**
   * Receives a datagram, if there is one.
   *
   * @param into its bytes come to position 0
   * @return where it came from, or null
   */
  @Nullable InetSocketAddress receive(ByteBuffer into) {
    into.clear();
    try {
      return (InetSocketAddress) channel.receive(into);
    } catch (ClosedChannelException e) {
      return null; // the address went, the receiver forgets this endpoint soon
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR);
      return null;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR); // the descriptor is free all the same
    }
  }
}
