package ib.cm.stream;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream that is connected: those that are under way, and those that have come.
 * The lock of {@link StreamEnd} guards it.
 */
final class Traffic {
  private static final int BATCH = 16;

  /**
   * The longest message when none is under way: the peer reads it while the next is copied, and its
   * bytes are in the nearest cache still when they are sent. rsockets begin with 2 KiB, and double
   * that (RS-4), which took a third longer inside one JVM.
   */
  private static final int SHORT = 1 << 14;

  /** The longest message while another is under way: few are cheaper for a device, as datagrams. */
  private static final int LONG = 1 << 16;

  private final StreamOptions options;
  private final StreamQueue queue;
  private final StreamTerms peer;
  private final Flow flow;

  /** The memory for direct writes. */
  final Regions regions;

  private final Runnable failed;
  private final WorkCompletion[] completions = new WorkCompletion[BATCH];
  private int slots; // of the send queue, for data
  private int controls = StreamQueue.CONTROLS;
  private int free; // bytes of the send buffer
  private int sendAt;
  private boolean inputEnded;
  private boolean outputEnded;
  private @Nullable IOException broken;

  /**
   * Begins.
   *
   * @param options sizes
   * @param queue the queue pair and its memory
   * @param peer what the peer has said
   * @param failed called once, when the stream fails
   */
  Traffic(StreamOptions options, StreamQueue queue, StreamTerms peer, Runnable failed) {
    this.options = options;
    this.queue = queue;
    this.peer = peer;
    this.failed = failed;
    flow = queue.flow(peer);
    regions = queue.regions(peer);
    slots = options.sendQueue();
    free = options.sendBuffer();
    Arrays.setAll(completions, i -> new WorkCompletion());
  }

  /**
   * Handles all completions, and gives the peer credits.
   *
   * @param ended whether the connection has ended
   * @return whether there was any completion
   */
  boolean progress(boolean ended) {
    int all = 0;
    int n = BATCH;
    // fewer are the last: where the thread that polls receives, a look may be a call of the system
    while (n == BATCH) {
      n = queue.poll(completions);
      all += n;
      for (int i = 0; i < n; i++) {
        try {
          completed(completions[i], ended);
        } catch (ProtocolException e) {
          fail(e);
        }
      }
    }
    grant(ended);
    return all > 0;
  }

  /**
   * Gives the peer credits when they are due.
   *
   * @param ended whether the connection has ended
   */
  private void grant(boolean ended) {
    if (!ended && flow.due() && controls > 0 && broken == null) {
      controls--;
      post(queue.credit(flow, peer));
      flow.granted();
    }
  }

  private void completed(WorkCompletion c, boolean ended) throws ProtocolException {
    if (c.status() != WcStatus.SUCCESS) {
      if (c.status() != WcStatus.WR_FLUSH_ERR) {
        fail(new SocketException("Connection reset: " + c.status()));
      }
    } else if (c.wrId() == StreamQueue.RECEIVE) {
      heard(c);
      if (!ended) {
        post(queue.receiveAgain());
      }
    } else if (c.wrId() == StreamQueue.CONTROL) {
      controls++;
    } else {
      slots++;
      free += (int) c.wrId();
      sendAt = free == options.sendBuffer() ? 0 : sendAt; // what is in a near cache still
    }
  }

  private void heard(WorkCompletion c) throws ProtocolException {
    int value = Immediate.value(c.immData());
    switch (Immediate.type(c.immData())) {
      case DATA -> flow.heard(value);
      case CREDITS -> flow.credited(value, c.byteLen() > 0);
      case CONTROL -> {
        inputEnded |= value == Immediate.SHUTDOWN || value == Immediate.DISCONNECT;
        outputEnded |= value == Immediate.DISCONNECT;
      }
      case REGION -> {
        regions.heard(value);
        flow.heardOther();
      }
      case OTHER -> {} // reserved, RS-3
    }
  }

  private void fail(IOException why) {
    if (broken == null) {
      broken = why;
      failed.run();
    }
  }

  private void post(int status) {
    if (status != PostStatus.OK) {
      fail(new SocketException("Connection reset: " + PostStatus.text(status)));
    }
  }

  /** {@return whether the stream has failed} */
  boolean isBroken() {
    return broken != null;
  }

  /** {@return why the stream has failed, as a new exception; null while it goes on} */
  @Nullable IOException broken() {
    IOException first = broken;
    if (first == null) {
      return null;
    }
    String text = first.getMessage();
    boolean protocol = first instanceof ProtocolException;
    IOException again = protocol ? new ProtocolException(text) : new SocketException(text);
    again.initCause(first);
    return again;
  }

  /** {@return whether the peer writes no more} */
  boolean inputEnded() {
    return inputEnded;
  }

  /** {@return whether nothing more can be written} */
  boolean outputEnded() {
    return outputEnded;
  }

  /**
   * Reads what there is, and lets the peer send on.
   *
   * @param ended whether the connection has ended
   * @return how many bytes
   */
  int take(ByteBuffer into, boolean ended) {
    int all = 0;
    while (into.hasRemaining() && flow.readable() > 0) {
      int n = Math.min(into.remaining(), flow.piece());
      queue.take(into, flow, n);
      all += n;
    }
    grant(ended);
    return all;
  }

  /**
   * {@return whether completions have to be handled before the next message} Not before each: where
   * the thread that polls receives, a look may be a call of the system.
   */
  boolean scarce() {
    return slots < options.sendQueue() / 2
        || options.sendBuffer() - free >= SHORT
        || flow.sendable() == 0;
  }

  /** Sends at most so many bytes in one message; {@return how many, 0 for none now} */
  int send(ByteBuffer from, int most) {
    int n = Math.min(Math.min(flow.sendable(), piece()), most);
    if (n > 0) {
      post(queue.send(from, take(n), n, flow));
      flow.sent(n);
    }
    return n;
  }

  /**
   * Writes at most so many bytes directly, in one message, which needs no credit.
   *
   * @return how many, 0 for none now
   * @throws IOException when the peer has no region there
   */
  int sendDirect(ByteBuffer from, long offset, int most) throws IOException {
    Regions.Window there = regions.find(offset);
    if (there == null) {
      throw new IOException("the peer has mapped no region at offset " + offset);
    }
    long skipped = offset - there.offset();
    int n = (int) Math.min(Math.min(there.length() - skipped, piece()), most);
    if (n > 0) {
      post(queue.write(from, take(n), n, there.key(), there.address() + skipped));
    }
    return n;
  }

  /** {@return how many bytes the next message may have, by the send buffer; 0 without a slot} */
  private int piece() {
    int whole = options.sendBuffer();
    int most = free == whole ? SHORT : LONG;
    return slots == 0 ? 0 : Math.min(most, Math.min(free, whole - sendAt));
  }

  /** Takes bytes of the send buffer, and a slot; {@return their place} */
  private int take(int n) {
    int at = sendAt;
    slots--;
    free -= n;
    sendAt = (sendAt + n) % options.sendBuffer();
    return at;
  }

  /** {@return whether a message that costs a credit can be sent now} */
  boolean takes() {
    return slots > 0 && flow.open();
  }

  /** Tells the peer of a region; it {@link #takes} the message. */
  void offer(int index, long offset, MemoryRegion region) {
    slots--;
    post(queue.offer(index, offset, region, peer));
    flow.sent(0);
  }

  /** Says that this side writes no more; {@return false when that cannot be sent now} */
  boolean shutdown() {
    return end(Immediate.SHUTDOWN);
  }

  /** Says that this side neither reads nor writes; {@return false when that cannot be sent now} */
  boolean disconnect() {
    return end(Immediate.DISCONNECT);
  }

  private boolean end(int how) {
    if (controls == 0) {
      return false;
    }
    controls--;
    outputEnded = true;
    post(queue.say(Immediate.CONTROL.of(how), peer));
    return true;
  }

  /** Has the peer's queue pair acknowledge something, unless that is so anyway. */
  void probe() {
    if (arrived()) {
      controls--;
      post(queue.probe());
    }
  }

  /** {@return whether the peer has all that was sent} */
  boolean arrived() {
    return slots == options.sendQueue() && controls == StreamQueue.CONTROLS;
  }
}
