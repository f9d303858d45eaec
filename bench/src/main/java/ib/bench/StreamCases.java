package ib.bench;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.RdmaStreamListener;
import ib.cm.stream.StreamOptions;
import ib.core.spi.StandaloneFabric;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Streams with the options that they have by default, beside what {@code ib_write_lat} and {@code
 * ib_write_bw} do between the same two devices (F8).
 */
final class StreamCases {
  static final int MESSAGE = 65_536;

  /** Messages of a burst that is timed: twice the ring, so that it is the reader's time too. */
  static final int COUNT = 32;

  private StreamCases() {}

  static StandaloneFabric soft() {
    return SoftFabric.open("bench0", "bench1");
  }

  /** {@return two devices; packets between them are handed over in memory, as by default} */
  static StandaloneFabric rxe() {
    return RxeHost.open("127.0.93.1", "127.0.93.2");
  }

  /** {@return two devices; packets between them are datagrams} */
  static StandaloneFabric datagrams() {
    Map<String, String> one = Map.of("address", "127.0.94.1", "local", "wire");
    Map<String, String> two = Map.of("address", "127.0.94.2", "local", "wire");
    return RxeHost.options().device("rxe0", one).device("rxe1", two).open();
  }

  /** {@return a byte there and back: by memory that is polled, by completions, by a stream} */
  static List<Case> trips(StandaloneFabric fabric) {
    return List.of(
        new WriteCases.Trip(fabric, false),
        new WriteCases.Trip(fabric, true),
        new Trip("stream, 1 B", streams(fabric, 1).getFirst(), 1));
  }

  /** {@return 64 KiB one way: as ib_write_bw, by a stream, and by its three copies alone} */
  static List<Case> writes(StandaloneFabric fabric) {
    return List.of(
        new WriteCases.Window(fabric),
        new Writes("stream, writes of 64 KiB", streams(fabric, 1).getFirst()),
        new Copies());
  }

  /** {@return messages of 64 KiB by TCP and by streams: one way, there and back} */
  static List<Case> besideTcp() {
    List<Ends> soft = streams(soft(), 2);
    List<Ends> rxe = streams(rxe(), 2);
    return List.of(
        new Writes("TCP, 64 KiB one way", sockets()),
        new Writes("stream, soft, one way", soft.getFirst()),
        new Writes("stream, rxe, one way", rxe.getFirst()),
        new Trip("TCP, 64 KiB there and back", sockets(), MESSAGE),
        new Trip("stream, soft, there and back", soft.getLast(), MESSAGE),
        new Trip("stream, rxe, there and back", rxe.getLast(), MESSAGE));
  }

  /** The two ends of a connection. */
  private record Ends(ByteChannel mine, ByteChannel theirs) {}

  private static List<Ends> streams(StandaloneFabric fabric, int count) {
    CmClient manager = CmClient.create();
    var unused = fabric.core().registerClient(manager); // all of it lives as long as the JVM
    RdmaCm server = RdmaCm.open(fabric.core(), manager, "server");
    RdmaCm client = RdmaCm.open(fabric.core(), manager, "client");
    StreamOptions options = StreamOptions.defaults();
    try (ExecutorService beside = Executors.newSingleThreadExecutor()) {
      RdmaStreamListener listener =
          RdmaStreamListener.listen(server, new InetSocketAddress(0), 0, options);
      byte[] gid = fabric.device(fabric.names().getLast()).gid(1, 0).toBytes();
      int port = listener.localAddress().getPort();
      InetSocketAddress to = new InetSocketAddress(InetAddress.getByAddress(gid), port);
      List<Ends> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Future<RdmaStream> accepted = beside.submit(listener::accept);
        all.add(new Ends(RdmaStream.connect(client, to, options), accepted.get()));
      }
      return all;
    } catch (IOException | InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Ends sockets() {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel mine = SocketChannel.open(listener.getLocalAddress());
      SocketChannel theirs = listener.accept();
      mine.setOption(StandardSocketOptions.TCP_NODELAY, true);
      theirs.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return new Ends(mine, theirs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Messages through a connection. */
  private abstract static class Messages extends Case {
    final Ends ends;
    final ByteBuffer here;
    final ByteBuffer there;
    private volatile long begun; // the second thread may wait for it in a read, which has no end
    private long served;

    Messages(String name, Ends ends, int bytes) {
      super(name, Kind.EXCHANGE);
      this.ends = ends;
      here = ByteBuffer.allocateDirect(bytes);
      there = ByteBuffer.allocateDirect(bytes);
    }

    static void write(ByteChannel to, ByteBuffer all) {
      try {
        all.clear();
        while (all.hasRemaining()) {
          to.write(all);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void read(ByteChannel from, ByteBuffer all) {
      try {
        all.clear();
        while (all.hasRemaining()) {
          if (from.read(all) < 0) {
            throw new IllegalStateException("the stream has ended");
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The first thread's part, as often as it says. */
    abstract void here();

    /** The second thread's part of the same. */
    abstract void there();

    @Override
    int burst() {
      begun += COUNT;
      for (int i = 0; i < COUNT; i++) {
        here();
      }
      return COUNT;
    }

    @Override
    void serve(Partner partner) {
      while (true) {
        if (served < begun) {
          served++;
          there();
        } else if (partner.stopped() && served == begun) {
          return;
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** There and back. */
  private static final class Trip extends Messages {
    Trip(String name, Ends ends, int bytes) {
      super(name, ends, bytes);
    }

    @Override
    void here() {
      write(ends.mine, here);
      read(ends.mine, here);
    }

    @Override
    void there() {
      read(ends.theirs, there);
      write(ends.theirs, there);
    }
  }

  /** One way; all are read before the second thread stops. */
  private static final class Writes extends Messages {
    Writes(String name, Ends ends) {
      super(name, ends, MESSAGE);
    }

    @Override
    void here() {
      write(ends.mine, here);
    }

    @Override
    void there() {
      read(ends.theirs, there);
    }
  }

  /** What a stream copies, without anything else: into its buffer, into the ring, out of it. */
  private static final class Copies extends Case {
    private static final int BUFFER = 1 << 17;
    private static final int RING = 1 << 20;
    private final byte[] here = new byte[MESSAGE];
    private final byte[] buffer = new byte[BUFFER];
    private final byte[] ring = new byte[RING];
    private final byte[] there = new byte[MESSAGE];
    private final Patience patience = new Patience("a copy's reader");
    private volatile long put;
    private volatile long got;

    Copies() {
      super("three copies of 64 KiB by two threads", Kind.EXCHANGE);
    }

    @Override
    int burst() {
      for (int i = 0; i < COUNT; i++) {
        long n = put;
        int at = (int) (n * MESSAGE % BUFFER);
        System.arraycopy(here, 0, buffer, at, MESSAGE);
        while (n - got >= RING / MESSAGE) {
          patience.spin();
        }
        patience.rest();
        System.arraycopy(buffer, at, ring, (int) (n * MESSAGE % RING), MESSAGE);
        put = n + 1;
      }
      return COUNT;
    }

    @Override
    void serve(Partner partner) {
      long n = got;
      while (true) {
        if (n < put) {
          System.arraycopy(ring, (int) (n * MESSAGE % RING), there, 0, MESSAGE);
          got = ++n;
        } else if (partner.stopped() && n == put) {
          return;
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }
}
