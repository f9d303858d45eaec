package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaCm;
import ib.core.client.ClientRegistration;
import ib.core.spi.StandaloneFabric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Two devices, a server and a client, and streams between them. */
final class StreamWorld implements AutoCloseable {
  static final StreamOptions DEFAULTS = StreamOptions.defaults();
  static final int BACKLOG = 4;

  final StandaloneFabric fabric;
  final RdmaCm server;
  final RdmaCm client;
  final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  RdmaStreamListener listener;
  private final ClientRegistration registered;
  private boolean isRegistered = true;

  StreamWorld(StandaloneFabric fabric) {
    this.fabric = fabric;
    CmClient manager = CmClient.create();
    registered = fabric.core().registerClient(manager);
    server = RdmaCm.open(fabric.core(), manager, "server");
    client = RdmaCm.open(fabric.core(), manager, "client");
  }

  RdmaStreamListener listen(StreamOptions options) throws IOException {
    return listen(options, BACKLOG);
  }

  RdmaStreamListener listen(StreamOptions options, int backlog) throws IOException {
    listener = RdmaStreamListener.listen(server, new InetSocketAddress(0), backlog, options);
    return listener;
  }

  /** {@return the address of the listener at the second device} */
  InetSocketAddress at() throws IOException {
    return new InetSocketAddress(address(1).getAddress(), listener.localAddress().getPort());
  }

  /** {@return the address of a device, with port 0} */
  InetSocketAddress address(int device) throws IOException {
    byte[] gid = fabric.device(fabric.names().get(device)).gid(1, 0).toBytes();
    return new InetSocketAddress(InetAddress.getByAddress(gid), 0);
  }

  /** Accepts a stream, beside. */
  Future<RdmaStream> accepted() {
    return threads.submit((Callable<RdmaStream>) listener::accept);
  }

  /** Two ends. */
  record Both(RdmaStream mine, RdmaStream theirs) implements AutoCloseable {
    @Override
    public void close() {
      mine.close();
      theirs.close();
    }
  }

  Both connected(StreamOptions options) throws Exception {
    listen(options);
    Future<RdmaStream> accepted = accepted();
    RdmaStream mine = RdmaStream.connect(client, at(), options);
    return new Both(mine, accepted.get(1, TimeUnit.MINUTES));
  }

  static byte[] read(RdmaStream from, int bytes) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    while (into.hasRemaining() && from.read(into) >= 0) {}
    return Arrays.copyOf(into.array(), into.position());
  }

  /** Writes pieces of random lengths; {@return their hash} */
  private static byte[] pour(RdmaStream to, long bytes, long seed) throws Exception {
    Random random = new Random(seed);
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    long left = bytes;
    while (left > 0) {
      byte[] piece = new byte[(int) Math.min(left, 1 + random.nextInt(1 << random.nextInt(18)))];
      random.nextBytes(piece);
      hash.update(piece);
      to.write(random.nextBoolean() ? ByteBuffer.wrap(piece) : direct(piece));
      left -= piece.length;
    }
    to.shutdownOutput();
    return hash.digest();
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** Reads to the end; {@return the hash} */
  private static byte[] drain(RdmaStream from, long seed) throws Exception {
    Random random = new Random(seed);
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    while (true) {
      int most = 1 + random.nextInt(1 << random.nextInt(18));
      ByteBuffer into =
          random.nextBoolean() ? ByteBuffer.allocate(most) : ByteBuffer.allocateDirect(most);
      if (from.read(into) < 0) {
        return hash.digest();
      }
      hash.update(into.flip());
    }
  }

  /** Sends as many bytes in each direction, and compares them. */
  void exchange(StreamOptions options, long bytes) throws Exception {
    try (Both both = connected(options)) {
      Future<byte[]> out = threads.submit(() -> pour(both.mine, bytes, 1));
      Future<byte[]> back = threads.submit(() -> pour(both.theirs, bytes, 2));
      Future<byte[]> there = threads.submit(() -> drain(both.theirs, 3));
      Future<byte[]> here = threads.submit(() -> drain(both.mine, 4));
      assertArrayEquals(out.get(), there.get());
      assertArrayEquals(back.get(), here.get());
    }
  }

  /** Takes the connection manager from the core. */
  void unregister() {
    if (isRegistered) {
      isRegistered = false;
      registered.unregister();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    client.close();
    server.close();
    unregister();
    assertEquals(List.of(), fabric.core().violations(), "the contract");
    fabric.close();
  }
}
