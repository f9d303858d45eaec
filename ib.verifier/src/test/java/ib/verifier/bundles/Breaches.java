package ib.verifier.bundles;

import ib.core.verbs.CompletionQueue;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.PrintWriter;
import java.lang.ref.ReferenceQueue;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

/** A handler with what drivers and protocols do wrong, each of an object that is not there. */
public final class Breaches extends Handlers.Handler {
  private static final List<Body> BODIES =
      List.of(
          () -> Breaches.<CountDownLatch>none().await(),
          () -> Breaches.<CyclicBarrier>none().await(),
          () -> Breaches.<Phaser>none().awaitAdvanceInterruptibly(1),
          () -> Breaches.<Exchanger<String>>none().exchange(""),
          () -> Breaches.<Semaphore>none().acquire(),
          () -> Breaches.<ReentrantReadWriteLock.ReadLock>none().lock(),
          () -> Breaches.<SynchronousQueue<String>>none().put(""),
          () -> Breaches.<ExecutorService>none().invokeAll(none()),
          () -> Breaches.<ExecutorService>none().close(),
          () -> Breaches.<ExecutorCompletionService<String>>none().take(),
          () -> Breaches.<FutureTask<String>>none().get(),
          () -> Breaches.<Thread>none().join(),
          () -> Breaches.<Process>none().waitFor(),
          () -> Breaches.<ReferenceQueue<String>>none().remove(),
          () -> Breaches.<BufferedReader>none().readLine(),
          () -> Breaches.<Properties>none().load(Breaches.<BufferedReader>none()),
          () -> Breaches.<DataOutputStream>none().writeInt(1),
          () -> Breaches.<PrintWriter>none().printf(""),
          () -> Breaches.<Selector>none().select(),
          () -> Breaches.<DatagramSocket>none().receive(none()),
          () -> Breaches.<ServerSocket>none().accept(),
          () -> Breaches.<Socket>none().connect(none()),
          () -> Breaches.<BundleContext>none().getService(none()),
          () -> Breaches.<ServiceRegistration<?>>none().unregister());

  /** What ended each call. */
  private final Queue<Exception> ends = new ArrayDeque<>();

  /** A call. */
  private interface Body {
    void run() throws Exception;
  }

  @Override
  public void complete(CompletionQueue cq, Object context) {
    for (Body body : BODIES) {
      try {
        body.run();
      } catch (Exception e) {
        ends.add(e);
      }
    }
  }

  private static <T> T none() {
    return null;
  }
}
