package ib.tools.perftest;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WellKnown;
import ib.tools.getopt.CommandException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The loops of the programs, for one message size; they count as the originals do. */
final class Runs {
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private final Options options;
  private final Side side;
  private final int size;
  private final int iters;
  private final Completions sends;
  private final Completions receives;
  private final SendWr[] requests;

  Runs(Options options, Side side, int size, Runnable stop) {
    this.options = options;
    this.side = side;
    this.size = size;
    iters = options.iters();
    sends = new Completions(side.sendCq, options, side.wakeUp, stop);
    receives = new Completions(side.recvCq, options, side.wakeUp, stop);
    requests = new SendWr[options.queuePairs()];
    Arrays.setAll(requests, this::request);
  }

  private SendWr request(int i) {
    Key remote = side.remotes.get(i);
    return new SendWr(1)
        .wrId(i)
        .opcode(options.opcode())
        .addSge(side.region.lkey(), side.region.iova() + side.sendOffset(i), size)
        .remoteAddr(remote.address())
        .rkey(remote.rkey())
        .compareAdd(1)
        .ah(side.ah())
        .remoteQpn(remote.qpn())
        .remoteQkey(Side.QKEY);
  }

  private void post(int i, boolean signaled) {
    int rc = side.qps.get(i).postSend(requests[i].flags(signaled ? SendFlags.SIGNALED : 0));
    if (rc != PostStatus.OK) {
      throw new CommandException("Couldn't post send: qp " + i + ", " + rc);
    }
  }

  /** Posts a receive. */
  private void postReceive(int i) {
    int grh = options.type() == QpType.UD ? WellKnown.GRH_BYTES : 0;
    long address = side.region.iova() + side.receiveOffset(i) - grh;
    int rc = side.qps.get(i).postReceive(i, side.region.lkey(), address, size + grh);
    if (rc != PostStatus.OK) {
      throw new CommandException("Couldn't post recv Qp = " + i + ", " + rc);
    }
  }

  /** Fills the receive queues. */
  void postReceives() {
    for (int i = 0; i < options.queuePairs(); i++) {
      for (int k = 0; k < options.rxDepth(); k++) {
        postReceive(i);
      }
    }
  }

  /** Posts all requests, as many at a time as the queue takes. */
  Bandwidth stream() {
    int total = iters * options.queuePairs();
    long[] posted = new long[total];
    long[] completed = new long[total];
    int[] sent = new int[options.queuePairs()];
    int[] done = new int[options.queuePairs()];
    int allSent = 0;
    int allDone = 0;
    while (allDone < total) {
      for (int i = 0; i < sent.length; i++) {
        while (sent[i] < iters && sent[i] - done[i] < options.txDepth()) {
          posted[allSent++] = System.nanoTime();
          sent[i]++;
          post(i, sent[i] % options.cqMod() == 0 || sent[i] == iters);
        }
      }
      int n = sends.poll();
      for (int k = 0; k < n; k++) {
        int i = sends.qp(k);
        int fill = Math.min(options.cqMod(), iters - done[i]); // one completion stands for many
        done[i] += fill;
        Arrays.fill(completed, allDone, allDone + fill, System.nanoTime());
        allDone += fill;
      }
    }
    return Bandwidth.of(size, posted, completed, options.peak(), options.cqMod());
  }

  /** Receives all messages, and keeps receives posted. */
  Bandwidth drain() {
    int total = iters * options.queuePairs();
    int[] posted = new int[options.queuePairs()];
    Arrays.fill(posted, options.rxDepth());
    long[] first = new long[1];
    for (int received = 0; received < total; ) {
      int n = receives.poll();
      if (received == 0) {
        first[0] = System.nanoTime();
      }
      received += n;
      for (int k = 0; k < n; k++) {
        int i = receives.qp(k);
        if (posted[i] < iters) {
          postReceive(i);
          posted[i]++;
        }
      }
    }
    long[] completed = new long[total];
    completed[total - 1] = System.nanoTime();
    return Bandwidth.of(size, first, completed, false, 1);
  }

  /** Sends there and back; the client begins. */
  Latency sendAndReceive() {
    long[] posted = new long[iters];
    int sent = 0;
    int received = 0;
    while (sent < iters || received < iters) {
      if (received < iters && (sent > 0 || options.server())) {
        awaitOne(receives);
        received++;
        if (received + options.rxDepth() <= iters) {
          postReceive(0);
        }
      }
      if (sent < iters) {
        posted[sent++] = System.nanoTime();
        post(0, true);
        awaitOne(sends);
      }
    }
    return Latency.of(size, posted, 2);
  }

  /** Writes there and back, and watches the last byte of the memory; the server begins. */
  Latency writeAndWatch() {
    long[] posted = new long[iters];
    int seen = 0;
    for (int sent = 0; sent < iters || seen < iters; ) {
      if (seen < iters && (sent > 0 || !options.server())) {
        seen++;
        awaitByte((byte) seen);
      }
      if (sent < iters) {
        posted[sent++] = System.nanoTime();
        BYTE.setVolatile(side.region.segment(), side.sendOffset(0) + size - 1, (byte) sent);
        post(0, true);
        awaitOne(sends);
      }
    }
    return Latency.of(size, posted, 2);
  }

  private void awaitByte(byte wanted) {
    long last = side.receiveOffset(0) + size - 1;
    while ((byte) BYTE.getVolatile(side.region.segment(), last) != wanted) {
      sends.idle();
    }
    sends.restart();
  }

  /** Posts one request after the other. */
  Latency oneByOne() {
    long[] posted = new long[iters];
    for (int i = 0; i < iters; i++) {
      posted[i] = System.nanoTime();
      post(0, true);
      awaitOne(sends);
    }
    return Latency.of(size, posted, 1);
  }

  private static void awaitOne(Completions queue) {
    int n = queue.poll(1);
    while (n == 0) {
      n = queue.poll(1);
    }
  }
}
