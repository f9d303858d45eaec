package ib.bench.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.BooleanSupplier;

/** UDP by a connected {@link DatagramChannel}, one packet a call; windowed as {@link RawHalf}. */
final class NioHalf implements Half {
  private static final int WINDOW = 256 << 10;
  private static final int CREDIT_EVERY = 32 << 10;
  private static final long STUCK_NS = 5_000_000;

  private final Spec spec;
  private final DatagramChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(65_536);
  private final ByteBuffer in = ByteBuffer.allocateDirect(65_536);
  private long all;
  private long told;

  NioHalf(Spec spec, boolean serves) throws IOException {
    this.spec = spec;
    InetSocketAddress server =
        new InetSocketAddress(InetAddress.ofLiteral(spec.server()), spec.port());
    InetSocketAddress client =
        new InetSocketAddress(InetAddress.ofLiteral(spec.client()), spec.port() + 1);
    channel = DatagramChannel.open();
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.SO_RCVBUF, 4 << 20);
    channel.bind(serves ? server : client);
    channel.connect(serves ? client : server);
  }

  private int receive() {
    try {
      in.clear();
      return channel.read(in);
    } catch (IOException e) {
      return 0; // the other end is not there yet
    }
  }

  private boolean send(int bytes) {
    try {
      out.position(0).limit(bytes);
      return channel.write(out) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void serve(BooleanSupplier stop) {
    boolean stream = spec.pattern() == Spec.Pattern.STREAM;
    while (!stop.getAsBoolean()) {
      int n = receive();
      if (n > 0 && !stream) {
        send(spec.bytes());
      } else if (n > 0) {
        all += n;
        if (all - told >= CREDIT_EVERY) {
          told = all;
          out.clear().putLong(0, all);
          send(Long.BYTES);
        }
      }
    }
  }

  @Override
  public long drive(long untilNs) {
    return spec.pattern() == Spec.Pattern.STREAM ? stream(untilNs) : roundTrips(untilNs);
  }

  private long roundTrips(long untilNs) {
    long n = 0;
    long now = System.nanoTime();
    while (now < untilNs) {
      send(spec.bytes());
      for (long sent = now; receive() <= 0; ) {
        if (System.nanoTime() - sent > 20 * STUCK_NS) {
          break; // lost
        }
      }
      n++;
      now = System.nanoTime();
    }
    return n;
  }

  private long stream(long untilNs) {
    int packet = spec.packet() + Spec.HEADERS;
    long begun = told;
    long sent = told;
    long heard = System.nanoTime();
    while (System.nanoTime() < untilNs) {
      if (receive() > 0) {
        told = Math.max(told, in.getLong(0));
        heard = System.nanoTime();
      }
      if (sent + packet - told <= WINDOW) {
        sent += send(packet) ? packet : 0;
      } else if (System.nanoTime() - heard > STUCK_NS) {
        sent = told;
        heard = System.nanoTime();
      }
    }
    return (told - begun) / packet;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
