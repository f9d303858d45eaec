package ib.bench.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** TCP by a {@link SocketChannel} that does not block. */
final class TcpHalf implements Half {
  private final Spec spec;
  private final @Nullable ServerSocketChannel listener;
  private @Nullable SocketChannel channel;
  private final ByteBuffer out;
  private final ByteBuffer in;

  TcpHalf(Spec spec, boolean serves) throws IOException {
    this.spec = spec;
    out = ByteBuffer.allocateDirect(spec.bytes());
    in = ByteBuffer.allocateDirect(Math.max(spec.bytes(), 1 << 18));
    listener = serves ? ServerSocketChannel.open().bind(server(spec)) : null;
  }

  private static InetSocketAddress server(Spec spec) {
    return new InetSocketAddress(InetAddress.ofLiteral(spec.server()), spec.port());
  }

  @Override
  public void connect(String peer) {
    try {
      SocketChannel c = listener == null ? SocketChannel.open(server(spec)) : listener.accept();
      c.setOption(StandardSocketOptions.TCP_NODELAY, true);
      c.configureBlocking(false);
      channel = c;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SocketChannel channel() {
    SocketChannel c = channel;
    if (c == null) {
      throw new IllegalStateException("not connected");
    }
    return c;
  }

  @Override
  public void serve(BooleanSupplier stop) {
    SocketChannel c = channel();
    boolean stream = spec.pattern() == Spec.Pattern.STREAM;
    int got = 0;
    try {
      while (!stop.getAsBoolean()) {
        in.clear();
        got += Math.max(0, c.read(in));
        if (!stream && got >= spec.bytes()) {
          got -= spec.bytes();
          write(c, () -> false);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean write(SocketChannel c, BooleanSupplier stop) throws IOException {
    out.clear();
    while (out.hasRemaining() && !stop.getAsBoolean()) {
      c.write(out);
    }
    return !out.hasRemaining();
  }

  @Override
  public long drive(long untilNs) {
    SocketChannel c = channel();
    long n = 0;
    long bytes = 0;
    boolean stream = spec.pattern() == Spec.Pattern.STREAM;
    try {
      while (System.nanoTime() < untilNs) {
        if (stream) {
          if (!out.hasRemaining()) {
            out.clear();
          }
          bytes += c.write(out);
        } else {
          write(c, () -> false);
          for (int got = 0; got < spec.bytes(); ) {
            in.clear();
            got += Math.max(0, c.read(in));
          }
          n++;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return stream ? bytes / spec.packet() : n;
  }

  @Override
  public void close() {
    try {
      if (channel != null) {
        channel.close();
      }
      if (listener != null) {
        listener.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
