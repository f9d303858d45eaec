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
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

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
        new WriteCases.Trip(fabric, false), new WriteCases.Trip(fabric, true), new Trip(fabric));
  }

  /** {@return 64 KiB one way: as ib_write_bw, by a stream, and by its three copies alone} */
  static List<Case> writes(StandaloneFabric fabric) {
    return List.of(new WriteCases.Window(fabric), new Writes(fabric), new Copies());
  }

  /** The two ends of a stream. */
  private abstract static class Both extends Case {
    final RdmaStream mine;
    final RdmaStream theirs;
    volatile long begun; // what the second thread may wait for in a read, which has no end

    Both(String name, Kind kind, StandaloneFabric fabric) {
      super(name, kind);
      CmClient manager = CmClient.create();
      var unused = fabric.core().registerClient(manager); // lives as long as the JVM
      try {
        RdmaCm server = RdmaCm.open(fabric.core(), manager, name + ", server");
        RdmaStreamListener listener =
            RdmaStreamListener.listen(
                server, new InetSocketAddress(0), 0, StreamOptions.defaults());
        CompletableFuture<RdmaStream> accepted =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return listener.accept();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        byte[] gid = fabric.device(fabric.names().getLast()).gid(1, 0).toBytes();
        int port = listener.localAddress().getPort();
        mine =
            RdmaStream.connect(
                RdmaCm.open(fabric.core(), manager, name + ", client"),
                new InetSocketAddress(InetAddress.getByAddress(gid), port),
                StreamOptions.defaults());
        theirs = accepted.join();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void write(RdmaStream to, ByteBuffer all) {
      try {
        to.write(all.clear());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void read(RdmaStream from, ByteBuffer all) {
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

    /** Waits for {@link #begun}; {@return false when nothing more comes} */
    boolean next(long done, Partner partner) {
      while (begun == done) {
        if (partner.stopped() && begun == done) {
          return false;
        }
        Thread.onSpinWait();
      }
      return true;
    }
  }

  /** A byte there and back. */
  private static final class Trip extends Both {
    private final ByteBuffer here = ByteBuffer.allocateDirect(1);
    private final ByteBuffer there = ByteBuffer.allocateDirect(1);
    private long served;

    Trip(StandaloneFabric fabric) {
      super("stream, a byte there and back", Kind.EXCHANGE, fabric);
    }

    @Override
    int burst() {
      begun++;
      for (int i = 0; i < RawLimits.TRIPS; i++) {
        write(mine, here);
        read(mine, here);
      }
      return RawLimits.TRIPS;
    }

    @Override
    void serve(Partner partner) {
      while (next(served, partner)) {
        served++;
        for (int i = 0; i < RawLimits.TRIPS; i++) {
          read(theirs, there);
          write(theirs, there);
        }
      }
    }
  }

  /** Messages one way, all of which are read before the second thread stops. */
  private static final class Writes extends Both {
    private final ByteBuffer here = ByteBuffer.allocateDirect(MESSAGE);
    private final ByteBuffer there = ByteBuffer.allocateDirect(MESSAGE);
    private long read;

    Writes(StandaloneFabric fabric) {
      super("stream, writes of 64 KiB", Kind.EXCHANGE, fabric);
    }

    @Override
    int burst() {
      for (int i = 0; i < COUNT; i++) {
        begun++;
        write(mine, here);
      }
      return COUNT;
    }

    @Override
    void serve(Partner partner) {
      while (next(read, partner)) {
        read++;
        read(theirs, there);
      }
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
