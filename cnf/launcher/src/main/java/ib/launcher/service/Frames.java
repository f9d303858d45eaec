package ib.launcher.service;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries {@link Frame}s: one byte kind, four bytes length, the body. One thread
 * receives; any number may send.
 */
final class Frames implements AutoCloseable {
  /** How long a frame's body may be, bytes. */
  static final int MAX_BODY = 1 << 16;

  private static final Frame.Kind[] KINDS = Frame.Kind.values();
  private static final int HEADER = 1 + Integer.BYTES;

  private final SocketChannel channel;
  private final DataInputStream in;
  private final Object sending = new Object();

  Frames(SocketChannel channel) {
    this.channel = channel;
    this.in = new DataInputStream(Channels.newInputStream(channel));
  }

  /**
   * Sends a frame; waits while the other side does not read.
   *
   * @throws IOException when the other side has gone
   */
  void send(Frame frame) throws IOException {
    if (frame.body().length > MAX_BODY) {
      throw new IOException(
          "%s of %d bytes, at most %d".formatted(frame.kind(), frame.body().length, MAX_BODY));
    }
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + frame.body().length);
    bytes.put((byte) frame.kind().ordinal()).putInt(frame.body().length).put(frame.body()).flip();
    synchronized (sending) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /**
   * Waits for the next frame.
   *
   * @return the frame, or null when the other side has closed the connection
   * @throws IOException when the connection is broken, or what comes is no frame
   */
  @Nullable Frame receive() throws IOException {
    int kind = in.read();
    if (kind < 0) {
      return null;
    }
    int length = in.readInt();
    if (kind >= KINDS.length || length < 0 || length > MAX_BODY) {
      throw new IOException("no frame of ib: kind %d, %d bytes".formatted(kind, length));
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the connection ended inside of a frame");
    }
    return new Frame(KINDS[kind], body);
  }

  /** {@return a stream whose bytes are sent at once, as frames of a kind} */
  OutputStream output(Frame.Kind kind) {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        for (int at = from; at < from + count; at += MAX_BODY) {
          send(
              new Frame(
                  kind, Arrays.copyOfRange(bytes, at, Math.min(at + MAX_BODY, from + count))));
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
