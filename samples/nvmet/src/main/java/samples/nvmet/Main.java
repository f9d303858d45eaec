package samples.nvmet;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.driver.rxe.standalone.RxeHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * The target as a program without a framework, on a RoCE device of its own: {@code Main ADDRESSES
 * NQN BYTES [FILE]}. It serves until the process is ended.
 */
public final class Main {
  private static final int PORT = 4420;

  private Main() {}

  /**
   * Serves until the process is ended.
   *
   * @param args addresses of this host with commas between them, name of the subsystem, size in
   *     bytes, and a file or nothing
   * @throws IOException when the file cannot be had
   * @throws InterruptedException never
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3 || args.length > 4) {
      throw new IllegalArgumentException("usage: Main ADDRESSES NQN BYTES [FILE]");
    }
    long bytes = Long.parseLong(args[2]);
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      ended.countDown();
                      await(closed);
                    }));
    try (Store store =
            args.length == 4 ? Store.file(Path.of(args[3]), bytes) : Store.memory(bytes);
        RxeHost host = RxeHost.open(args[0])) {
      serve(host, new Subsystem(args[1], store), ended);
    } finally {
      closed.countDown();
    }
  }

  private static void serve(RxeHost host, Subsystem subsystem, CountDownLatch ended)
      throws InterruptedException {
    CmClient connections = CmClient.create();
    ClientRegistration registered = host.core().registerClient(connections);
    InetSocketAddress all = new InetSocketAddress(PORT);
    try (Target target = Target.open(host.core(), connections, all, subsystem, Limits.USUAL)) {
      IO.println("nvmet: " + target);
      ended.await();
    } finally {
      registered.unregister();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
