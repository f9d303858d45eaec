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
  private static final int MAX_CALLERS = 32;
  private static final long PAUSE_NS = 100_000_000;

  private final Path path;
  private final UserPrincipal user;
  private final ServerSocketChannel server;
  private final Hello hello;
  private final Shells shells;
  private final Runnable stop;
  private final Set<Caller> callers = ConcurrentHashMap.newKeySet();

  private SocketServer(
      Path path, ServerSocketChannel server, Hello hello, Shells shells, Runnable stop)
      throws IOException {
    this.path = path;
    this.user = Files.getOwner(path);
    this.server = server;
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
    Path path = folder.socket();
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean open = false;
    try {
      server.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      SocketServer made = new SocketServer(path, server, hello, shells, stop);
      Thread.ofPlatform().daemon().name("ib-service").start(made::accept);
      open = true;
      return made;
    } finally {
      if (!open) {
        server.close();
      }
    }
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        serve(server.accept());
      } catch (AsynchronousCloseException e) {
        return; // close() has closed the socket
      } catch (IOException | RuntimeException e) {
        LOG.warn("a caller of {} is not served: {}", path, e.toString());
        LockSupport.parkNanos(PAUSE_NS); // without free descriptors each accept fails at once
      }
    }
  }

  private void serve(SocketChannel channel) throws IOException {
    UserPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    if (!who.equals(user)) {
      channel.close();
      LOG.warn("a caller of {} is refused: user {}, not {}", path, who.getName(), user.getName());
    } else if (callers.size() >= MAX_CALLERS) {
      channel.close();
      LOG.warn("a caller of {} is refused: there are {} already", path, callers.size());
    } else {
      Caller caller = new Caller(new Frames(channel), hello, shells, stop, callers::remove);
      callers.add(caller);
      caller.start();
    }
  }

  /** Closes the socket, and ends what callers have begun. */
  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(path);
    callers.forEach(Caller::end);
  }
}
