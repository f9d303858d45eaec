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
 * An endpoint with a channel of Java. The channel is unconnected and forbids fragmentation, so that
 * Linux sends IPv4 identification 0 (D7). The channel is non-blocking, so that an interrupt does
 * not close the channel.
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
   * Opens and binds a channel.
   *
   * @param address the local address, or the group
   * @param on the interface of the address
   * @param options UDP port and buffer sizes
   * @param localPort the port to bind; if it is not the port of the options, the endpoint only
   *     sends
   * @param counters where errors are counted
   * @return the endpoint
   * @throws IOException when the port is in use or the host does not have the address
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
      channel.setOption(
          StandardSocketOptions.SO_REUSEADDR, group); // lets other devices be members too
      channel.bind(new InetSocketAddress(address, localPort));
      if (group) {
        channel.join(address, on);
      }
      PortableEndpoint e = new PortableEndpoint(address, options, localPort, channel, counters);
      e.follow(on);
      bound = true;
      return e;
    } finally {
      if (!bound) {
        channel.close();
      }
    }
  }

  @Override
  void setGroupsBy(NetworkInterface on) throws IOException {
    channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, on);
  }

  void register(Selector selector) throws ClosedChannelException {
    if (channel.isOpen() && channel.keyFor(selector) == null) {
      channel.register(selector, SelectionKey.OP_READ, this);
    }
  }

  /**
   * Sends a datagram. Does not block.
   *
   * @param bytes the datagram, from position to limit
   * @param to destination
   * @return the counter of the reason why the datagram was not sent; null if it was sent
   */
  @Nullable UdpCounter send(ByteBuffer bytes, InetSocketAddress to) {
    try {
      return channel.send(bytes, to) > 0 ? null : UdpCounter.TX_BUSY;
    } catch (IOException | RuntimeException e) {
      return UdpCounter.TX_ERROR; // no route, no permission, or closed meanwhile
    }
  }

  /**
   * Receives a datagram, if one waits. Does not block.
   *
   * @param into takes the bytes, from position 0
   * @return the sender; null when no datagram waits
   */
  @Nullable InetSocketAddress receive(ByteBuffer into) {
    into.clear();
    try {
      return (InetSocketAddress) channel.receive(into);
    } catch (ClosedChannelException e) {
      return null; // the address was closed; the receiver forgets this endpoint soon
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
