package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Messages to and fro, by handlers of completions alone. */
final class Rally implements AutoCloseable {
  private static final int ROOM = 64; // receives
  private static final int BYTES = 64;
  private static final int SIGNAL_EVERY = 32;

  private final End server;
  private final End client;

  /** One end. */
  private static final class End {
    final RxeSide side;
    final Set<String> threads = ConcurrentHashMap.newKeySet(); // that have run the handler
    private final WorkCompletion[] one = {new WorkCompletion()};
    private final Consumer<Integer> heard;
    private int posted;

    End(IbDevice device, Consumer<Integer> heard) {
      this.heard = heard;
      this.side = new RxeSide(device, new CqInit(256, (cq, context) -> handle(cq), null));
    }

    private void handle(CompletionQueue cq) {
      threads.add(Thread.currentThread().getName());
      int n = reap(cq);
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      heard.accept(n + reap(cq));
    }

    private int reap(CompletionQueue cq) {
      int messages = 0;
      while (cq.poll(one, 1) == 1) {
        if (one[0].wrId() == 0) {
          messages++;
          side.receive(0, 0, BYTES);
        }
      }
      return messages;
    }

    void ready() {
      for (int i = 0; i < ROOM; i++) {
        side.receive(0, 0, BYTES);
      }
      side.cq.requestNotify(NotifyFlags.NEXT_COMP);
    }

    void send() {
      boolean signaled = ++posted % SIGNAL_EVERY == 0;
      side.qp.wrStart();
      side.qp.wrId(1).wrFlags(signaled ? SendFlags.SIGNALED : 0);
      side.qp.wrSend();
      side.qp.wrSetSge(side.mr.lkey(), side.mr.iova(), BYTES);
      assertEquals(0, side.qp.wrComplete());
    }
  }

  private final AtomicInteger left = new AtomicInteger();
  private volatile CountDownLatch over = new CountDownLatch(0);

  /** Connects a client and a server; each message runs a part of the server's handler first. */
  Rally(IbDevice a, IbDevice b, Runnable inServer) {
    server =
        new End(
            b,
            n -> {
              for (int i = 0; i < n; i++) {
                inServer.run();
                serve();
              }
            });
    client =
        new End(
            a,
            n -> {
              for (int i = 0; i < n; i++) {
                back();
              }
            });
    RxeSide.connect(QpType.RC, client.side, server.side, Mtu.MTU_1024);
    server.ready();
    client.ready();
  }

  private void serve() {
    server.send();
  }

  private void back() {
    if (left.decrementAndGet() > 0) {
      client.send();
    } else {
      over.countDown();
    }
  }

  /** Begins some round trips, which go on by themselves. */
  void begin(int rounds) {
    left.set(rounds);
    over = new CountDownLatch(1);
    client.send();
  }

  /** Waits for the end of the round trips. */
  void end() throws InterruptedException {
    assertTrue(over.await(10, TimeUnit.MINUTES), () -> left + " round trips are left");
  }

  void play(int rounds) throws InterruptedException {
    begin(rounds);
    end();
  }

  /** {@return the names of the threads that have run the server's handler} */
  Set<String> serverThreads() {
    return server.threads;
  }

  @Override
  public void close() {
    client.side.close();
    server.side.close();
  }
}
