package ib.cm.stream;

import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Sizes and times of a stream; rsockets' defaults are ours, but for the time to poll, of which they
 * have 10 us.
 *
 * @param sendBuffer bytes that may be written before the peer has them, 4,096 to 1 GiB
 * @param receiveBuffer bytes that the peer may send before they are read, an even number, 4,096 to
 *     1 GiB
 * @param sendQueue messages that may be under way, 8 to 16,000
 * @param receiveQueue messages that the peer may send before they are read, 8 to 16,000
 * @param closeTimeout how long {@code close} waits for what was written to arrive, 0 to 1 day
 * @param pollTime how long a read or a write that has to wait looks for completions before its
 *     thread sleeps, 0 to 1 min; with 0 it sleeps at once
 * @param keepAlive how often a stream on which nothing is under way looks whether its peer is there
 *     (RS-10); 0 for never. A peer that does not answer for the time of the connection's retries, 2
 *     s, ends the stream with {@link java.net.SocketException}, also while it is only read
 * @param maxReceiveBuffer bytes to which the receive buffer grows, an even number from
 *     receiveBuffer to 1 GiB: it is doubled when the peer has filled half of it before that was
 *     read. It does not shrink, and stays as it is where there is no memory for more
 * @param regions how many regions of the peer this side may write directly ({@link
 *     RdmaStream#writeDirect}), 0 to 128
 * @param connection how the connection is made: the time for it, of an active side the address of
 *     this side; of type RC, in the TCP port space. Its private data does not count
 */
public record StreamOptions(
    int sendBuffer,
    int receiveBuffer,
    int sendQueue,
    int receiveQueue,
    Duration closeTimeout,
    Duration pollTime,
    Duration keepAlive,
    int maxReceiveBuffer,
    int regions,
    RdmaOptions connection) {
  private static final int MIN_BUFFER = 4096;
  private static final int MAX_BUFFER = 1 << 30;
  private static final int MIN_QUEUE = 8;
  private static final int MAX_QUEUE = 16_000;
  private static final int MAX_REGIONS = 128;
  private static final Duration MAX_TIME = Duration.ofDays(1);
  private static final Duration MAX_POLL = Duration.ofMinutes(1);
  private static final StreamOptions DEFAULTS =
      new StreamOptions(
          1 << 17,
          1 << 17,
          384,
          384,
          Duration.ofSeconds(10),
          Duration.ofNanos(20_000),
          Duration.ZERO,
          1 << 20,
          0,
          RdmaOptions.rc().reads(0, 0));

  /** Checks the ranges. */
  public StreamOptions {
    range("sendBuffer", sendBuffer, MIN_BUFFER, MAX_BUFFER);
    range("receiveBuffer", receiveBuffer, MIN_BUFFER, MAX_BUFFER);
    range("sendQueue", sendQueue, MIN_QUEUE, MAX_QUEUE);
    range("receiveQueue", receiveQueue, MIN_QUEUE, MAX_QUEUE);
    range("regions", regions, 0, MAX_REGIONS);
    range("maxReceiveBuffer", maxReceiveBuffer, receiveBuffer, MAX_BUFFER);
    if (receiveBuffer % 2 != 0 || maxReceiveBuffer % 2 != 0) {
      String sizes = receiveBuffer + " to " + maxReceiveBuffer;
      throw new IbInvalidException("receiveBuffer " + sizes, "odd", "even numbers");
    }
    range("closeTimeout", closeTimeout, MAX_TIME);
    range("keepAlive", keepAlive, MAX_TIME);
    range("pollTime", pollTime, MAX_POLL);
    if (connection.type() != QpType.RC || connection.space() != PortSpace.TCP) {
      String why = connection.type() + " in port space " + connection.space();
      throw new IbInvalidException("connection", why, "type RC in port space TCP");
    }
  }

  /** {@return these options with another number of regions of the peer} */
  public StreamOptions regions(int value) {
    return with(d -> d.regions = value);
  }

  private static void range(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IbInvalidException(name + " " + value, "out of range", least + " to " + most);
    }
  }

  private static void range(String name, Duration value, Duration most) {
    if (value.isNegative() || value.compareTo(most) > 0) {
      throw new IbInvalidException(name + " " + value, "out of range", "0 to " + most);
    }
  }

  /**
   * {@return 128 KiB each way, of which the receive buffer grows to 1 MiB; 384 messages each way,
   * 30 s to connect, 10 s to close, 20 us to poll, no keepalive}
   */
  public static StreamOptions defaults() {
    return DEFAULTS;
  }

  /**
   * {@return these options with other buffers, which do not grow}
   *
   * @param send bytes
   * @param receive bytes
   */
  public StreamOptions buffers(int send, int receive) {
    return with(
        d -> {
          d.sendBuffer = send;
          d.receiveBuffer = receive;
          d.maxReceiveBuffer = receive;
        });
  }

  /** {@return these options with another limit to the growth of the receive buffer} */
  public StreamOptions maxReceiveBuffer(int value) {
    return with(d -> d.maxReceiveBuffer = value);
  }

  /**
   * {@return these options with other queues}
   *
   * @param send messages
   * @param receive messages
   */
  public StreamOptions queues(int send, int receive) {
    return with(
        d -> {
          d.sendQueue = send;
          d.receiveQueue = receive;
        });
  }

  /**
   * {@return these options with another time to connect}
   *
   * @param value see {@link RdmaOptions#connectTimeout}
   */
  public StreamOptions connectTimeout(Duration value) {
    return connection(connection.connectTimeout(value));
  }

  /**
   * {@return these options with an address of this side} It is needed where several devices reach
   * the peer, as on loopback.
   *
   * @param value an address of a device, with port 0 for any port
   */
  public StreamOptions from(InetSocketAddress value) {
    return connection(connection.from(value));
  }

  /** {@return these options with other parameters of the connection} */
  public StreamOptions connection(RdmaOptions value) {
    return with(d -> d.connection = value);
  }

  /** {@return these options with another time to close} */
  public StreamOptions closeTimeout(Duration value) {
    return with(d -> d.closeTimeout = value);
  }

  /** {@return these options with another distance of looks for the peer} */
  public StreamOptions keepAlive(Duration value) {
    return with(d -> d.keepAlive = value);
  }

  /** {@return these options with another time to poll} */
  public StreamOptions pollTime(Duration value) {
    return with(d -> d.pollTime = value);
  }

  private StreamOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.done();
  }

  /** The options as fields, some of which are changed. */
  private static final class Draft {
    int sendBuffer;
    int receiveBuffer;
    int sendQueue;
    int receiveQueue;
    Duration closeTimeout;
    Duration pollTime;
    Duration keepAlive;
    int maxReceiveBuffer;
    int regions;
    RdmaOptions connection;

    Draft(StreamOptions from) {
      sendBuffer = from.sendBuffer;
      receiveBuffer = from.receiveBuffer;
      sendQueue = from.sendQueue;
      receiveQueue = from.receiveQueue;
      closeTimeout = from.closeTimeout;
      pollTime = from.pollTime;
      keepAlive = from.keepAlive;
      maxReceiveBuffer = from.maxReceiveBuffer;
      regions = from.regions;
      connection = from.connection;
    }

    StreamOptions done() {
      return new StreamOptions(
          sendBuffer,
          receiveBuffer,
          sendQueue,
          receiveQueue,
          closeTimeout,
          pollTime,
          keepAlive,
          maxReceiveBuffer,
          regions,
          connection);
    }
  }
}
