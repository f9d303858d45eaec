package ib.tools.perftest;

import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.tools.getopt.CommandException;
import ib.tools.perftest.PerftestOptions.Results;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The loops of the programs for one message size, which count as the originals do. For the run's
 * thread only.
 */
final class Runs {
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  private static final int LOOK_LOOPS = 1 << 12;

  private final PerftestOptions options;
  private final Side side;
  private final int size;
  private final int iters;
  private final Completions sends;
  private final Completions receives;
  private final SendWr[] requests; // the first request of each queue pair's list
  private final Sampling sampling;
  private final Runnable stop;
  private int loops;

  Runs(PerftestOptions options, Side side, int size, Runnable stop) {
    this.options = options;
    this.side = side;
    this.size = size;
    this.stop = stop;
    iters = options.iters();
    sampling = new Sampling(options.seconds());
    sends = new Completions(side.sendCq, options, side.wakeUp, stop);
    receives = new Completions(side.recvCq, options, side.wakeUp, stop);
    requests = new SendWr[options.queuePairs()];
    Arrays.setAll(requests, this::list);
  }

  /** {@return the list of requests that one post contains} */
  private SendWr list(int i) {
    SendWr next = null;
    for (int k = options.postList(); k > 0; k--) {
      next = request(i).next(next).flags(flags(k % options.cqMod() == 0));
    }
    return Objects.requireNonNull(next);
  }

  private int flags(boolean signaled) {
    boolean inline = !options.tool().verb.answered() && size <= options.inline();
    return (signaled ? SendFlags.SIGNALED : 0) | (inline ? SendFlags.INLINE : 0);
  }

  private SendWr request(int i) {
    Key remote = side.remotes.get(i);
    SendWr wr =
        new SendWr(1)
            .wrId(i)
            .opcode(options.opcode())
            .addSge(side.region.lkey(), side.region.iova() + side.sendOffset(i), size)
            .remoteAddr(remote.address())
            .rkey(remote.rkey())
            .compareAdd(1);
    Side.Peer peer = side.peer(i);
    return peer == null ? wr : wr.ah(peer.ah()).remoteQpn(peer.qpn()).remoteQkey(peer.qkey());
  }

  private void post(int i, boolean signaled) {
    SendWr first = requests[i];
    if (options.postList() == 1) {
      first.flags(flags(signaled));
    }
    int rc = side.qps.get(i).postSend(first);
    if (rc != PostStatus.OK) {
      throw new CommandException("Couldn't post send: qp " + i + ", " + rc);
    }
  }

  /** Posts a receive. */
  private void postReceive(int i) {
    side.postReceive(side.qps.get(i), i, size);
  }

  /** Fills the receive queues. */
  void postReceives() {
    for (int i = 0; i < options.queuePairs(); i++) {
      for (int k = 0; k < options.rxDepth(); k++) {
        postReceive(i);
      }
    }
  }

  /** Checks from time to time whether the run must end, also if it never waits. */
  private void goingOn() {
    if (++loops % LOOK_LOOPS == 0) {
      stop.run();
    }
  }

  /** Posts all requests and keeps the send queues full. */
  Bandwidth stream() {
    Sending sending = new Sending(options, sampling, this::post);
    sampling.begin();
    while (!sending.complete() && !sampling.over()) {
      sending.fill();
      sending.take(sends, sends.poll());
      goingOn();
    }
    return sending.report(size);
  }

  /** Receives all messages and keeps the receive queues full. */
  Bandwidth drain() {
    Receiving receiving = new Receiving(options, sampling, this::postReceive);
    while (!receiving.complete() && !sampling.over()) {
      receiving.take(receives, receives.poll());
      goingOn();
    }
    return receiving.report(size);
  }

  /** Sends and receives at the same time; the client begins. */
  Bandwidth both() {
    Sending sending = new Sending(options, sampling, this::post);
    Receiving receiving = new Receiving(options, sampling, this::postReceive);
    if (!options.server()) {
      sampling.begin();
    }
    while ((!sending.complete() || !receiving.complete()) && !sampling.over()) {
      if (!options.server() || receiving.begun()) {
        sending.fill();
      }
      int came = receives.look();
      receiving.take(receives, came);
      int went = sends.look();
      sending.take(sends, went);
      if (came + went == 0) {
        receives.idle();
      } else {
        receives.restart();
      }
      goingOn();
    }
    return sending.report(size);
  }

  /**
   * Runs until {@code stop} throws.
   *
   * @param report called with the result of each interval
   */
  void forever(Consumer<Bandwidth> report) {
    boolean receives = options.receives() && options.server();
    Sending sending = new Sending(options, sampling, this::post);
    Receiving receiving = new Receiving(options, sampling, this::postReceive);
    int ways = options.duplex() ? 2 : 1; // the peer is assumed to transfer as much
    long since = System.nanoTime();
    long before = 0;
    for (; ; ) {
      if (receives) {
        receiving.take(this.receives, this.receives.poll());
      } else {
        sending.fill();
        sending.take(sends, sends.poll());
      }
      goingOn();
      long now = System.nanoTime();
      if (now - since >= TimeUnit.SECONDS.toNanos(options.seconds())) {
        long all = receives ? receiving.received() : sending.done();
        Bandwidth one = Bandwidth.of(size, all - before, now - since);
        report.accept(ways == 1 ? one : one.with(one));
        since = now;
        before = all;
      }
    }
  }

  private boolean goesOn(int sent, int received) {
    return sampling.timed ? !sampling.over() : sent < iters || received < iters;
  }

  private boolean more(int done) {
    return sampling.timed || done < iters;
  }

  private String latency(long[] posted, int perMessage) {
    if (sampling.timed) {
      return Latency.timed(size, sampling.counted(), sampling.ns(), perMessage);
    }
    String line = Latency.of(size, posted, perMessage).line();
    return options.results() == Results.NONE
        ? line
        : Latency.results(posted, perMessage, options.results())
            + Perftest.LINE
            + "\n"
            + Latency.HEAD
            + "\n"
            + line;
  }

  /**
   * {@return an array for the time of each message; a run with a time limit needs only one element}
   */
  private long[] times() {
    return new long[sampling.timed ? 1 : iters];
  }

  /** Sends each message to the peer and back; the client begins. */
  String sendAndReceive() {
    long[] posted = times();
    int sent = 0;
    int received = 0;
    while (goesOn(sent, received)) {
      if (more(received) && (sent > 0 || options.server())) {
        if (!awaitOne(receives)) {
          break;
        }
        sampling.begin();
        sampling.count(1);
        received++;
        if (sampling.timed || received + options.rxDepth() <= iters) {
          postReceive(0);
        }
      }
      if (more(sent)) {
        posted[sampling.timed ? 0 : sent] = System.nanoTime();
        sent++;
        post(0, true);
        if (!awaitOne(sends)) {
          break;
        }
      }
      goingOn();
    }
    return latency(posted, 2);
  }

  /**
   * Writes each message to the peer and back, and polls the last byte of the memory; the server
   * begins.
   */
  String writeAndWatch() {
    long[] posted = times();
    int seen = 0;
    int sent = 0;
    sampling.begin();
    while (goesOn(sent, seen)) {
      if (more(seen) && (sent > 0 || !options.server())) {
        seen++;
        awaitByte((byte) seen);
      }
      if (more(sent)) {
        posted[sampling.timed ? 0 : sent] = System.nanoTime();
        sent++;
        BYTE.setVolatile(side.region.segment(), side.sendOffset(0) + size - 1, (byte) sent);
        post(0, true);
        if (!awaitOne(sends)) {
          break;
        }
        sampling.count(1);
      }
      goingOn();
    }
    return latency(posted, 2);
  }

  private void awaitByte(byte wanted) {
    long last = side.receiveOffset(0) + size - 1;
    while ((byte) BYTE.getVolatile(side.region.segment(), last) != wanted && !sampling.over()) {
      sends.idle();
    }
    sends.restart();
  }

  /** Posts one request after the other and waits for each. */
  String oneByOne() {
    long[] posted = times();
    sampling.begin();
    for (int i = 0; goesOn(i, i); i++) {
      posted[sampling.timed ? 0 : i] = System.nanoTime();
      post(0, true);
      if (!awaitOne(sends)) {
        break;
      }
      sampling.count(1);
      goingOn();
    }
    return latency(posted, 1);
  }

  /** Waits for a completion. {@return false when the run's time is over before} */
  private boolean awaitOne(Completions queue) {
    int n = queue.poll(1);
    while (n == 0 && !sampling.over()) {
      n = queue.poll(1);
    }
    return n > 0;
  }
}
