package ib.verifier.bundles;

import ib.core.verbs.CompletionQueue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A handler that does all that a handler may: idioms of third parties, which do not wait. */
public final class Idioms extends Handlers.Handler {
  private static final Logger LOG = LoggerFactory.getLogger(Idioms.class);
  private static final ThreadLocal<StringBuilder> TEXT =
      ThreadLocal.withInitial(StringBuilder::new);

  /** A call. */
  private interface Body {
    void run() throws Exception;
  }

  private static final List<Body> BODIES =
      List.of(
          () -> new ConcurrentHashMap<String, String>().computeIfAbsent("a", a -> a + a),
          () -> new ConcurrentHashMap<String, Integer>().merge("a", 1, Integer::sum),
          Idioms::locks,
          () -> new StampedLock().validate(new StampedLock().tryOptimisticRead()),
          () -> LOG.info("a line of {}", "a handler"),
          Idioms::futures,
          () -> CompletableFuture.completedFuture("done").resultNow(),
          () -> new ArrayBlockingQueue<String>(1).offer("one"),
          () -> new LinkedBlockingDeque<String>().pollFirst(),
          () -> new LinkedTransferQueue<String>().tryTransfer("one"),
          () -> new ConcurrentLinkedQueue<String>().add("one"),
          () -> new CopyOnWriteArrayList<String>().add("one"),
          () -> new ArrayDeque<String>().push("one"),
          () -> TEXT.get().append("one").append(1).setLength(0),
          () -> ByteBuffer.allocate(8).putLong(System.nanoTime()).flip().getLong(),
          () -> new LongAdder().increment(),
          () -> new AtomicReference<>("one").compareAndSet("one", "two"),
          () -> Thread.ofVirtual().unstarted(() -> {}),
          () -> LockSupport.unpark(Thread.currentThread()),
          () -> new Semaphore(1).tryAcquire(),
          () -> new Semaphore(1).release(),
          () -> new CountDownLatch(1).countDown(),
          () -> new Phaser(1).arrive(),
          Idioms::selects,
          Idioms::receives,
          () -> ThreadLocalRandom.current().nextInt(),
          () -> TEXT.get().append(TimeUnit.SECONDS.toNanos(1)),
          () -> new ByteArrayInputStream(new byte[1]).read(),
          () -> new ByteArrayOutputStream().write(1),
          () -> new StringReader("one").read(),
          () -> new StringWriter().write("one"),
          () -> TEXT.get().append(String.format("%d", 1)),
          () -> TEXT.get().append(List.of(2, 1).stream().sorted().toList()),
          () -> ((Executor) Runnable::run).execute(() -> {}),
          () -> ForkJoinPool.commonPool().execute(() -> {}),
          () -> Thread.currentThread().isInterrupted());

  @Override
  public void complete(CompletionQueue cq, Object context) {
    for (Body body : BODIES) {
      try {
        body.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void locks() {
    ReentrantLock lock = new ReentrantLock();
    if (lock.tryLock()) {
      lock.unlock();
    }
  }

  private static void futures() {
    CompletableFuture<String> future = new CompletableFuture<>();
    future.whenComplete((value, e) -> LOG.debug("{}", value)).thenApply(String::length);
    future.complete("one");
    if (future.isDone()) {
      future.resultNow();
    }
  }

  private static void selects() throws Exception {
    try (Selector selector = Selector.open()) {
      selector.wakeup();
      selector.selectNow();
    }
  }

  /** Reads and writes channels that are configured not to block. */
  private static void receives() throws Exception {
    Pipe pipe = Pipe.open();
    try (DatagramChannel channel = DatagramChannel.open();
        Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink()) {
      channel.configureBlocking(false);
      channel.receive(ByteBuffer.allocate(1));
      source.configureBlocking(false);
      source.read(ByteBuffer.allocate(1));
      sink.configureBlocking(false);
      sink.write(ByteBuffer.allocate(1));
    }
  }
}
