package ib.tools.perftest;

import ib.core.verbs.Mtu;
import ib.tools.getopt.CommandException;
import ib.tools.run.Listener;
import ib.tools.run.Tcp;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * perftest's exchange: in each step each end sends a record of the same length, the client first,
 * and reads the peer's. The announced version is 6.06, because later versions (from 6.28) exchange
 * C structures. For the run's thread only.
 */
final class Talk implements AutoCloseable {
  static final String VERSION = "6.06";
  private static final int VERSION_BYTES = 16;
  private static final int CYCLE_BUFFER = 4096;
  private static final int CACHE_LINE = 64;
  private static final long HANDSHAKE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final byte[] DONE = ascii("done", 5);

  private final Carrier carrier;
  private final Runnable stop;
  private long patienceNs = HANDSHAKE_NS;

  /**
   * Connects to a server.
   *
   * @param host the server
   * @param port TCP port
   * @param stop called while waiting; throws to abort the wait
   */
  Talk(String host, int port, Runnable stop) {
    this(new TcpCarrier(Tcp.connect(host, port), true, null, stop), stop);
  }

  /**
   * Waits for a client.
   *
   * @param listener the listener of the server
   * @param stop called while waiting; throws to abort the wait
   */
  Talk(Listener listener, Runnable stop) {
    this(await(listener, stop), stop);
  }

  /**
   * Talks over a connection whose other end is in this JVM.
   *
   * @param socket the connection
   * @param client whether this is the client's end
   * @param stop called while waiting; throws to abort the wait
   */
  Talk(Socket socket, boolean client, Runnable stop) {
    this(new TcpCarrier(socket, client, null, stop), stop);
  }

  /**
   * Talks.
   *
   * @param carrier carries the records; closed with this
   * @param stop called while waiting; throws to abort the wait
   */
  Talk(Carrier carrier, Runnable stop) {
    this.carrier = carrier;
    this.stop = stop;
  }

  private static Carrier await(Listener listener, Runnable stop) {
    Listener.Met met = listener.await(VERSION_BYTES, Talk::isVersion, stop);
    return new TcpCarrier(met.socket(), false, met.greeting(), stop);
  }

  private static boolean isVersion(byte[] record) {
    return text(record).matches("\\d{1,3}\\.\\d{1,3}");
  }

  /**
   * Exchanges version, buffer sizes and MTU, the first steps.
   *
   * @param mine this end's MTU
   * @return the smaller MTU
   */
  Mtu agree(Mtu mine) {
    byte[] theirVersion = step(ascii(VERSION, VERSION_BYTES));
    String version = text(theirVersion);
    if (!isVersion(theirVersion) || Double.parseDouble(version) < 5.70) {
      throw new CommandException(
          "Current implementation is not compatible with versions older than 5.70: " + version);
    }
    int cycle = ByteBuffer.wrap(step(number(CYCLE_BUFFER))).getInt();
    step(number(CACHE_LINE));
    if (cycle < CYCLE_BUFFER || cycle > 1 << 20) {
      throw new CommandException("the other end's cycle buffer has " + cycle + " bytes");
    }
    String theirs = text(step(ascii(Integer.toString(mine.value()), 2)));
    if (!theirs.matches("[1-5]")) {
      throw new CommandException("the other end's MTU is '" + theirs + "'");
    }
    return Mtu.of(Math.min(mine.value(), Integer.parseInt(theirs)));
  }

  /** Removes the time limit of further steps, because a run may be long. */
  void running() {
    patienceNs = Long.MAX_VALUE;
  }

  /** Exchanges keys; also the barrier between two parts of a run. */
  Key keys(Key mine) {
    try {
      return carrier.binary()
          ? Key.ofRecord(step(mine.toRecord()))
          : Key.ofWire(step(mine.toWire()));
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
      throw new CommandException("Failed to exchange data between server and clients", e);
    }
  }

  /** Exchanges results. */
  Bandwidth reports(Bandwidth mine) {
    long size = longs(mine.size());
    long iters = longs(mine.iters());
    double peak = Double.longBitsToDouble(longs(Double.doubleToLongBits(mine.peak())));
    double average = Double.longBitsToDouble(longs(Double.doubleToLongBits(mine.average())));
    double rate = Double.longBitsToDouble(longs(Double.doubleToLongBits(mine.messageRate())));
    return new Bandwidth(size, iters, peak, average, rate);
  }

  /**
   * Exchanges the end of the run. Since July 2023 (6.16) the original closes the connection
   * instead.
   */
  void done(Key mine) {
    keys(mine);
    if (carrier.binary()) {
      return; // the disconnection says it
    }
    try {
      carrier.exchange(DONE, patienceNs);
    } catch (IOException e) {
      stop.run(); // the peer has closed the connection, which also ends the run
    }
  }

  private long longs(long mine) {
    return ByteBuffer.wrap(step(ByteBuffer.allocate(Long.BYTES).putLong(mine).array())).getLong();
  }

  private byte[] step(byte[] mine) {
    try {
      return carrier.exchange(mine, patienceNs);
    } catch (IOException e) {
      throw new CommandException("Failed to exchange data between server and clients", e);
    }
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private static byte[] ascii(String text, int length) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), length);
  }

  private static String text(byte[] record) {
    String all = new String(record, StandardCharsets.US_ASCII);
    int end = all.indexOf('\0');
    return end < 0 ? all : all.substring(0, end);
  }

  @Override
  public void close() {
    try {
      carrier.close();
    } catch (IOException e) {
      throw new CommandException("Failed to close connection between server and client", e);
    }
  }
}
