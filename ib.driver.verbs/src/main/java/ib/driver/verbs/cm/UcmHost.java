package ib.driver.verbs.cm;

import ib.core.verbs.IbException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.IbPermissionException;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Waiter;
import ib.driver.verbs.object.Failures;
import org.jspecify.annotations.Nullable;

/** Opens the files of a connector. */
class UcmHost {
  private final Libc libc;

  UcmHost(Libc libc) {
    this.libc = libc;
  }

  /**
   * Opens the file of the connection manager.
   *
   * @param frame of the calling thread; has errno afterwards
   * @param path the file
   * @return the file; null when the kernel refuses
   */
  @Nullable UcmFile file(Frame frame, String path) {
    int fd = libc.open(frame, path);
    return fd < 0 ? null : new UcmFile(libc, fd);
  }

  /** {@return a bell that wakes the thread that reads the events} */
  Waiter waiter() {
    return new Waiter(libc);
  }

  /** {@return why the file of the connection manager cannot be opened} */
  IbException refusal(String device, String path, int errno) {
    String what = "connections on " + device;
    return switch (errno) {
      case Libc.EACCES, Libc.EPERM ->
          new IbPermissionException(
              what,
              "this process may not open " + path,
              "add the user to the group of the file, or give the container the file");
      case Libc.ENOENT, Libc.ENODEV ->
          new IbNotSupportedException(
              what,
              "the kernel offers no connection manager: no " + path,
              "modprobe rdma_ucm; in a container --device /dev/infiniband");
      default -> Failures.of(libc, errno, what);
    };
  }
}
