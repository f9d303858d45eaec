package ib.cm.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousByteChannel;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A stream whose reads and writes do not block their callers: each runs on a virtual thread of its
 * own, which also calls the handler. Any thread may call.
 */
final class AsynchronousView implements AsynchronousByteChannel {
  private final RdmaStream stream;
  private final AtomicBoolean reading = new AtomicBoolean();
  private final AtomicBoolean writing = new AtomicBoolean();

  AsynchronousView(RdmaStream stream) {
    this.stream = stream;
  }

  @Override
  public <A> void read(
      ByteBuffer into, A attachment, CompletionHandler<Integer, ? super A> handler) {
    Callable<Integer> work = reading(into);
    Thread.startVirtualThread(() -> tell(work, attachment, handler));
  }

  @Override
  public Future<Integer> read(ByteBuffer into) {
    return started(reading(into));
  }

  @Override
  public <A> void write(
      ByteBuffer from, A attachment, CompletionHandler<Integer, ? super A> handler) {
    Callable<Integer> work = writing(from);
    Thread.startVirtualThread(() -> tell(work, attachment, handler));
  }

  @Override
  public Future<Integer> write(ByteBuffer from) {
    return started(writing(from));
  }

  private Callable<Integer> reading(ByteBuffer into) {
    if (into.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    if (!reading.compareAndSet(false, true)) {
      throw new ReadPendingException();
    }
    return work(reading, () -> stream.read(into));
  }

  private Callable<Integer> writing(ByteBuffer from) {
    if (!writing.compareAndSet(false, true)) {
      throw new WritePendingException();
    }
    return work(writing, () -> stream.write(from));
  }

  /** {@return the work of a call, which is pending until it ends} */
  private Callable<Integer> work(AtomicBoolean pending, Callable<Integer> call) {
    boolean open = stream.isOpen();
    return () -> {
      try {
        return call.call();
      } catch (ClosedChannelException e) {
        if (!open || stream.isOpen() || e instanceof AsynchronousCloseException) {
          throw e;
        }
        AsynchronousCloseException meanwhile = new AsynchronousCloseException();
        meanwhile.initCause(e);
        throw meanwhile;
      } finally {
        pending.set(false);
      }
    };
  }

  /** {@return the work, begun; its cancellation with an interrupt closes the stream} */
  private Future<Integer> started(Callable<Integer> work) {
    FutureTask<Integer> task =
        new FutureTask<>(work) {
          @Override
          public boolean cancel(boolean interrupts) {
            boolean cancelled = super.cancel(interrupts);
            if (cancelled && interrupts) { // also when the work has not begun
              Thread.startVirtualThread(stream::close); // it waits for the peer
            }
            return cancelled;
          }
        };
    Thread.startVirtualThread(task);
    return task;
  }

  private static <A> void tell(
      Callable<Integer> work, A attachment, CompletionHandler<Integer, ? super A> handler) {
    Integer bytes;
    try {
      bytes = work.call();
    } catch (Throwable e) {
      handler.failed(e, attachment);
      return;
    }
    handler.completed(bytes, attachment);
  }

  @Override
  public boolean isOpen() {
    return stream.isOpen();
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
