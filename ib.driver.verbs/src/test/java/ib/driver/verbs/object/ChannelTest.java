package ib.driver.verbs.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbException;
import ib.core.verbs.IbNoMemoryException;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Waiter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17, V5: a completion channel")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChannelTest {
  private final Libc libc = new Libc();
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    arena.close();
  }

  /** A host whose channels are files. */
  private class Host implements Channel.Host {
    final Path file;
    final CountDownLatch reads = new CountDownLatch(1);
    int made;
    int destroyed;

    Host(Path file) {
      this.file = file;
    }

    @Override
    public String device() {
      return "verbs0";
    }

    @Override
    public long make() {
      made++;
      MemorySegment channel = arena.allocate(Layout.size("ibv_comp_channel"), Long.BYTES);
      try (Frame frame = new Frame()) {
        int fd = libc.open(frame, file.toString());
        channel.set(ValueLayout.JAVA_INT, Layout.at("ibv_comp_channel", "fd", 4), fd);
      }
      return channel.address();
    }

    @Override
    public void destroy(long channel) {
      destroyed++;
      long bytes = Layout.size("ibv_comp_channel");
      MemorySegment structure = MemorySegment.ofAddress(channel).reinterpret(bytes);
      int fd = structure.get(ValueLayout.JAVA_INT, Layout.at("ibv_comp_channel", "fd", 4));
      try (Frame frame = new Frame()) {
        frame.call(libc.close, fd);
      }
    }

    @Override
    public void waitless(int fd) {}

    @Override
    public Waiter waiter() {
      return new Waiter(libc);
    }

    @Override
    public void read(Frame frame, long channel) {
      reads.countDown(); // a file can always be read
    }
  }

  /** {@return how many file descriptors of this process lead there} */
  private static long opened(String where) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(fd -> leadsTo(fd, where)).count();
    }
  }

  private static boolean leadsTo(Path fd, String where) {
    try {
      return Files.readSymbolicLink(fd).toString().equals(where);
    } catch (IOException e) {
      return false; // of the listing itself
    }
  }

  private static void nothingLeft(Host host, long bells) throws IOException {
    assertEquals(host.made, host.destroyed, "channels");
    assertEquals(0, opened(host.file.toString()), "files of channels");
    assertEquals(bells, opened("anon_inode:[eventfd]"), "bells");
  }

  @Test
  @DisplayName("a process that may open no more files keeps no channel that failed")
  void noBell(@TempDir Path root) throws IOException {
    long bells = opened("anon_inode:[eventfd]");
    Host host =
        new Host(Files.createFile(root.resolve("channel"))) {
          @Override
          public Waiter waiter() {
            throw new IbNoMemoryException("eventfd", "too many open files", "ulimit -n");
          }
        };
    assertThrows(IbNoMemoryException.class, () -> Channel.open(host, 0));
    nothingLeft(host, bells);
  }

  @Test
  @DisplayName("a kernel that does not make its reads return at once keeps no channel")
  void waits(@TempDir Path root) throws IOException {
    long bells = opened("anon_inode:[eventfd]");
    Host host =
        new Host(Files.createFile(root.resolve("channel"))) {
          @Override
          public void waitless(int fd) {
            throw new IbException(ib.core.verbs.Errno.EINVAL, "createCompChannel", "no", "");
          }
        };
    assertThrows(IbException.class, () -> Channel.open(host, 0));
    nothingLeft(host, bells);
  }

  @Test
  @DisplayName("a channel is read by its thread, and its close keeps nothing")
  void whole(@TempDir Path root) throws Exception {
    long bells = opened("anon_inode:[eventfd]");
    Host host = new Host(Files.createFile(root.resolve("channel")));
    Channel channel = Channel.open(host, 3);
    assertEquals(3, channel.vector);
    assertEquals(true, host.reads.await(10, TimeUnit.MINUTES), "it is read");
    channel.close();
    nothingLeft(host, bells);
  }
}
