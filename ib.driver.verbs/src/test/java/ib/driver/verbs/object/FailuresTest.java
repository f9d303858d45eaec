package ib.driver.verbs.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.PostStatus;
import ib.driver.verbs.abi.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 17, V3: an error number of the kernel is a typed exception with what to try")
final class FailuresTest {
  private static final Libc LIBC = new Libc();
  private static final int ERANGE = 34; // none that the driver tells apart

  private static IbException of(int errno) {
    return Failures.of(LIBC, errno, "verbs0.createQp");
  }

  @Test
  @DisplayName("each error number by its type; each says what was done, the number and what to try")
  void types() {
    Map<Integer, Class<? extends IbException>> types =
        Map.ofEntries(
            Map.entry(Libc.EPERM, IbPermissionException.class),
            Map.entry(Libc.EACCES, IbPermissionException.class),
            Map.entry(Libc.EIO, IbDisassociatedException.class),
            Map.entry(Libc.EAGAIN, IbAgainException.class),
            Map.entry(Libc.ENOMEM, IbNoMemoryException.class),
            Map.entry(Libc.EBUSY, IbBusyException.class),
            Map.entry(Libc.EEXIST, IbExistsException.class),
            Map.entry(Libc.EADDRINUSE, IbExistsException.class),
            Map.entry(Libc.EADDRNOTAVAIL, IbNoDeviceException.class),
            Map.entry(Libc.ENOENT, IbNoDeviceException.class),
            Map.entry(Libc.ENODEV, IbNoDeviceException.class),
            Map.entry(Libc.ENOSYS, IbNotSupportedException.class),
            Map.entry(Libc.EOPNOTSUPP, IbNotSupportedException.class),
            Map.entry(Libc.ETIMEDOUT, IbTimedOutException.class),
            Map.entry(Libc.EINVAL, IbInvalidException.class),
            Map.entry(ERANGE, IbException.class));
    types.forEach(
        (errno, type) -> {
          IbException e = of(errno);
          assertEquals(type, e.getClass(), () -> "errno " + errno);
          String said = e.getMessage();
          assertTrue(said.startsWith("verbs0.createQp: "), said);
          assertTrue(said.contains("errno " + errno) || errno == Libc.EBUSY, said);
          assertTrue(said.contains(". Try: ") || errno == Libc.EBUSY, said);
        });
    assertTrue(of(Libc.EBUSY).getMessage().contains("rdma res"), "who holds it");
  }

  @Test
  @DisplayName("ENOMEM names RLIMIT_MEMLOCK with the value that this process has")
  void lockedMemory() throws IOException {
    String limit =
        Files.readAllLines(Path.of("/proc/self/limits")).stream()
            .filter(line -> line.startsWith("Max locked memory"))
            .map(line -> line.split("\\s{2,}")[1])
            .findFirst()
            .orElseThrow();
    String said = of(Libc.ENOMEM).getMessage();
    String expected =
        limit.equals("unlimited")
            ? "RLIMIT_MEMLOCK has no limit"
            : "RLIMIT_MEMLOCK is " + limit + " bytes for this process";
    assertTrue(said.contains(expected), said);
    assertTrue(said.contains("ulimit -l unlimited"), said);
  }

  @Test
  @DisplayName(
      "V9: an object that the kernel keeps is reported with what holds it; one gone is not")
  void kept() {
    assertNull(Failures.kept(LIBC, 0, "verbs0", "CQ"));
    assertNull(Failures.kept(LIBC, Libc.EIO, "verbs0", "CQ"), "gone with the device");
    assertNull(Failures.kept(LIBC, Libc.ENODEV, "verbs0", "CQ"), "gone with the device");
    String busy = Failures.kept(LIBC, Libc.EBUSY, "verbs0", "CQ");
    assertTrue(busy != null && busy.startsWith("verbs0: the kernel keeps a CQ: "), busy);
    assertTrue(busy.contains("rdma res"), busy);
  }

  @Test
  @DisplayName(
      "V2, V4: on the data path an error number is a status; a device that has gone is GONE")
  void posts() {
    assertEquals(PostStatus.OK, Failures.post(0));
    assertEquals(PostStatus.QUEUE_FULL, Failures.post(Libc.ENOMEM));
    assertEquals(PostStatus.QUEUE_FULL, Failures.post(Libc.EAGAIN), "it may be tried again");
    assertEquals(PostStatus.GONE, Failures.post(Libc.EIO));
    assertEquals(PostStatus.NOT_SUPPORTED, Failures.post(Libc.EOPNOTSUPP));
    assertEquals(PostStatus.NOT_SUPPORTED, Failures.post(Libc.ENOSYS));
    assertEquals(PostStatus.INVALID, Failures.post(Libc.EINVAL));
  }
}
