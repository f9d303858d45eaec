package ib.cm.rdma;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection has come: it is made, and established once at most, and ends exactly once
 * (API-4). Its lock guards the connection. The handler hears both in the connection's callbacks.
 */
final class Life {
  private static final int MAX_CALLBACKS = 8; // more than a connection ever has

  private final RdmaConnection of;
  private final RdmaHandler handler;
  final Turns turns;
  private final CompletableFuture<RdmaConnection> established = new CompletableFuture<>();
  private final CompletableFuture<RdmaEnd> ended = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();

  // written under the lock
  private @Nullable RdmaEnd end;
  private volatile boolean open;

  /**
   * Begins.
   *
   * @param of whose life
   * @param owner has the wait-for graph for fences
   */
  Life(RdmaConnection of, Connections owner, RdmaHandler handler) {
    this.of = of;
    this.handler = handler;
    this.turns = new Turns(MAX_CALLBACKS, owner::graph);
  }

  CompletableFuture<RdmaConnection> established() {
    return established.copy();
  }

  CompletableFuture<RdmaEnd> ended() {
    return ended.copy();
  }

  /** {@return whether both sides are ready, and none has ended the connection} */
  boolean isOpen() {
    return open;
  }

  /** {@return how the connection has ended; null when it has not} */
  @Nullable RdmaEnd end() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /** Does something under the lock; {@return false, and does nothing, when the end has come} */
  boolean unlessEnded(Runnable what) {
    lock.lock();
    try {
      boolean goesOn = end == null;
      if (goesOn) {
        what.run();
      }
      return goesOn;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Both sides are ready.
   *
   * @param first done under the lock, unless the connection has ended
   */
  void up(Runnable first) {
    unlessEnded(
        () -> {
          first.run();
          open = true;
          turns.offer(this::sayUp);
        });
  }

  private void sayUp() {
    try {
      handler.established(of);
    } finally {
      established.complete(of);
    }
  }

  /**
   * Ends the connection, unless it has ended.
   *
   * @param first done under the lock, before anyone hears of the end
   */
  void end(RdmaEnd how, Runnable first) {
    unlessEnded(
        () -> {
          end = how;
          open = false;
          first.run();
          turns.offer(() -> sayEnd(how));
        });
  }

  private void sayEnd(RdmaEnd how) {
    established.completeExceptionally(how.why());
    try {
      handler.ended(of, how);
    } finally {
      ended.complete(how);
    }
  }
}
