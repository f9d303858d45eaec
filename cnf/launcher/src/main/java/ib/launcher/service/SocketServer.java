package ib.launcher.service;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of a running service. One thread accepts; each caller has a thread that reads and one
 * that runs what the caller asks for. A caller of another user is refused, even if the folder is
 * open to that user: the kernel says who calls.
 */
public final class SocketServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
  private static final int MAX_CALLERS = 1_024; // those that wait for a place among them
  private static final long PAUSE_NS = 100_000_000;
  private static final long LOOK_NS = 200_000_000;

  private final Path path;
  private final UserPrincipal user;
  private final Hello hello;
  private final Shells shells;
  private final Runnable stop;
  private final Places places = new Places();
  private final Set<Caller> callers = ConcurrentHashMap.newKeySet();

  // under the monitor
  private ServerSocketChannel server;
  private boolean closed;

  private SocketServer(Path path, Hello hello, Shells shells, Runnable stop) throws IOException {
    this.path = path;
    this.server = bind(path);
    this.user = Files.getOwner(path);
    this.hello = hello;
    this.shells = shells;
    this.stop = stop;
  }

  /**
   * Opens the socket; callers are answered from now on.
   *
   * @param folder where; this process has claimed it
   * @param version the distribution's, for those who ask
   * @param missing configured devices that are not there, for those who ask
   * @param shells runs what callers ask for
   * @param stop begins to stop the runtime, and returns
   * @return the open socket
   * @throws IOException when the socket cannot be made
   */
  public static SocketServer open(
      RunFolder folder, String version, String missing, Shells shells, Runnable stop)
      throws IOException {
    Hello hello = new Hello(ProcessHandle.current().pid(), version, Instant.now(), missing);
    SocketServer made = new SocketServer(folder.socket(), hello, shells, stop);
    made.serve(made.server);
    Thread.ofPlatform().daemon().name("ib-service-socket").start(made::watch);
    return made;
  }

  private static ServerSocketChannel bind(Path path) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean open = false;
    try {
      server.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      open = true;
      return server;
    } finally {
      if (!open) {
        server.close();
      }
    }
  }

  private void serve(ServerSocketChannel from) {
    Thread.ofPlatform().daemon().name("ib-service").start(() -> accept(from));
  }

  private void watch() {
    while (look()) {
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /** Makes the socket again when its file is lost. {@return whether to look again} */
  private synchronized boolean look() {
    if (!closed && !Files.exists(path)) {
      try (ServerSocketChannel lost = server) {
        server = bind(path);
        serve(server);
        LOG.warn("{} was lost and is made again (no longer {})", path, lost);
      } catch (IOException e) {
        LOG.warn("{} is lost and cannot be made again: {}", path, e.toString());
        return false;
      }
    }
    return !closed;
  }

  private void accept(ServerSocketChannel from) {
    while (from.isOpen()) {
      try {
        answer(from.accept());
      } catch (AsynchronousCloseException e) {
        return; // the socket is closed, or lost and made again
      } catch (IOException | RuntimeException e) {
        LOG.warn("a caller of {} is not served: {}", path, e.toString());
        LockSupport.parkNanos(PAUSE_NS); // without free descriptors each accept fails at once
      }
    }
  }

  private void answer(SocketChannel channel) throws IOException {
    UserPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    if (!who.equals(user)) {
      channel.close();
      LOG.warn("a caller of {} is refused: user {}, not {}", path, who.getName(), user.getName());
    } else if (callers.size() >= MAX_CALLERS) {
      channel.close();
      LOG.warn("a caller of {} is refused: there are {} already", path, callers.size());
    } else {
      Caller caller = new Caller(new Frames(channel), hello, shells, places, stop, callers::remove);
      callers.add(caller);
      caller.start();
    }
  }

  /** Closes the socket, and ends what callers have begun. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      server.close();
      Files.deleteIfExists(path);
    }
    callers.forEach(Caller::end);
  }
}
