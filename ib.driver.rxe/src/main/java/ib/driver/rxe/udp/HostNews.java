package ib.driver.rxe.udp;

import java.io.IOException;
import java.util.Optional;

/**
 * Waits for changes of the host's links and addresses. One thread waits; any thread may {@link
 * #ring}, which ends that wait or the next one.
 */
public abstract class HostNews implements AutoCloseable {
  /** The longest wait: until there is news, or until the bell is rung. */
  public static final int NO_LIMIT = -1;

  HostNews() {}

  /**
   * Opens the host's news.
   *
   * @param path how the device's packets are sent and received; news come by system calls, so not
   *     on the portable path
   * @return the news; without announcements where there are no system calls
   * @throws IOException when the system refuses a socket for announcements
   */
  public static HostNews open(UdpOptions.Path path) throws IOException {
    Libc libc = path == UdpOptions.Path.PORTABLE ? null : Libc.INSTANCE;
    return libc == null ? silent() : new NetlinkNews(libc);
  }

  /** {@return news that never come, so that {@link #await} waits for the bell alone} */
  public static HostNews silent() {
    return new SilentNews();
  }

  /** {@return whether the host announces changes; once false, this stays false} */
  public abstract boolean announces();

  /**
   * Returns why the host announces no changes any more.
   *
   * @return the reason; empty while the host announces them, or if it never has
   */
  public abstract Optional<String> failure();

  /**
   * Waits for news or the bell. Blocks; an interrupt does not end the wait.
   *
   * @param milliseconds the longest wait, 0 or more, or {@link #NO_LIMIT}
   * @return whether links or addresses may have changed
   */
  public abstract boolean await(int milliseconds);

  /** Ends the wait, or the next one. Does not block. */
  public abstract void ring();

  /** Releases the descriptors. No thread may wait or ring any more. */
  @Override
  public abstract void close();
}
