package ib.launcher.service;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries {@link Frame}s: one byte kind, four bytes length, the body. One thread
 * receives; any number may send.
 *
 * <p>A thread of the connection's own writes, because the senders are threads of commands, which
 * Ctrl-C interrupts: an interrupt of a thread that writes to a channel closes the channel.
 */
final class Frames implements AutoCloseable {
  /** How long a frame's body may be, bytes. */
  static final int MAX_BODY = 1 << 16;

  private static final int MAX_WAITING = 16; // frames

  private static final Frame.Kind[] KINDS = Frame.Kind.values();
  private static final int HEADER = 1 + Integer.BYTES;

  private final SocketChannel channel;
  private final DataInputStream in;

  // under the monitor
  private final Queue<ByteBuffer> waiting = new ArrayDeque<>();
  private @Nullable Thread writer;
  private @Nullable IOException broken; // or closed

  Frames(SocketChannel channel) {
    this.channel = channel;
    this.in = new DataInputStream(Channels.newInputStream(channel));
  }

  /**
   * Sends a frame: it is written soon. Waits while too many are to be written, because the other
   * side does not read. An interrupt ends no wait, and stays with the thread.
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
    synchronized (this) {
      awaitAtMost(MAX_WAITING - 1);
      waiting.add(bytes);
      if (writer == null) {
        writer = Thread.ofPlatform().daemon().name("ib-service-writer").start(this::write);
      }
      notifyAll();
    }
  }

  /**
   * Waits until everything is written that was sent.
   *
   * @throws IOException when the other side has gone
   */
  synchronized void drain() throws IOException {
    awaitAtMost(0);
  }

  /** Waits until so few frames wait; the caller holds the monitor. */
  private void awaitAtMost(int frames) throws IOException {
    boolean interrupted = false;
    while (broken == null && waiting.size() > frames) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (broken != null) {
      throw new IOException(broken.getMessage(), broken);
    }
  }

  private void write() {
    try {
      for (ByteBuffer next = next(); next != null; next = next()) {
        while (next.hasRemaining()) {
          channel.write(next);
        }
        written();
      }
    } catch (IOException e) {
      end(e);
    }
  }

  /** {@return the frame to write, which still counts as waiting; null at the end} */
  private synchronized @Nullable ByteBuffer next() {
    while (broken == null && waiting.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        return null; // no one interrupts this thread
      }
    }
    return broken == null ? waiting.element() : null;
  }

  private synchronized void written() {
    waiting.remove();
    notifyAll();
  }

  private synchronized void end(IOException why) {
    if (broken == null) {
      broken = why;
    }
    notifyAll();
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

  /** Closes the connection at once; what was not {@link #drain drained} may be lost. */
  @Override
  public void close() throws IOException {
    end(new IOException("the connection is closed"));
    channel.close();
  }
}
