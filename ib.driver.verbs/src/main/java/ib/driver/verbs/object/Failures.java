package ib.driver.verbs.object;

import ib.core.verbs.Errno;
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
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Libc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The errors of libibverbs as typed exceptions, with what to try (V3). */
public final class Failures {
  private Failures() {}

  /**
   * Makes the exception of a call.
   *
   * @param libc the C library
   * @param errno the error number
   * @param what what was attempted, with the device
   * @return the exception
   */
  public static IbException of(Libc libc, int errno, String what) {
    String why;
    try (Frame frame = new Frame()) {
      why = "the kernel refuses: " + frame.text(libc, errno) + ", errno " + errno;
    }
    return switch (errno) {
      case Libc.EPERM, Libc.EACCES ->
          new IbPermissionException(what, why, "the rights of the process: see docs/hardware.md");
      case Libc.EIO ->
          new IbDisassociatedException(
              what, why + "; the device has gone or was reset", "the device that comes back");
      case Libc.EAGAIN -> new IbAgainException(what, why, "again later");
      case Libc.ENOMEM -> noMemory(libc, what, why);
      case Libc.EBUSY -> new IbBusyException(what, List.of("an object of the kernel: rdma res"));
      case Libc.EEXIST -> new IbExistsException(what, why, "another value");
      case Libc.EADDRINUSE ->
          new IbExistsException(
              what, why + "; another program of the host has the port", "another port");
      case Libc.EADDRNOTAVAIL ->
          new IbNoDeviceException(what, why + "; the host has not the address", "ip address");
      case Libc.ENOENT, Libc.ENODEV ->
          new IbNoDeviceException(what, why + "; the device may be gone", "rdma link");
      case Libc.ENOSYS, Libc.EOPNOTSUPP ->
          new IbNotSupportedException(what, why, "IbDevice.has and IbDevice.attrs");
      case Libc.ETIMEDOUT ->
          new IbTimedOutException(what, why, "whether the address answers: ip neigh, ping");
      case Libc.EINVAL ->
          new IbInvalidException(what, why, "values within IbDevice.attrs and the port's tables");
      default -> new IbException(Errno.EINVAL, what, why, "dmesg may say more");
    };
  }

  private static IbException noMemory(Libc libc, String what, String why) {
    long bytes = libc.lockedMemory();
    String limit =
        bytes == -1
            ? "RLIMIT_MEMLOCK has no limit, so the device or the system has no more"
            : "RLIMIT_MEMLOCK is " + bytes + " bytes for this process";
    return new IbNoMemoryException(
        what, why + "; " + limit, "ulimit -l unlimited, or fewer and smaller objects");
  }

  /**
   * Makes the report of an object that the kernel did not destroy (V9).
   *
   * @param libc the C library
   * @param errno the error number
   * @param device name in ib
   * @param kind of the object
   * @return the report; null for 0, and where the object has gone with its device
   */
  static @Nullable String kept(Libc libc, int errno, String device, String kind) {
    return errno == 0 || errno == Libc.EIO || errno == Libc.ENODEV
        ? null
        : device
            + ": the kernel keeps a "
            + kind
            + ": "
            + of(libc, errno, device + ".destroy").getMessage();
  }

  /** {@return the result of the data path for an error number that a provider returned} */
  static int post(int errno) {
    return switch (errno) {
      case 0 -> PostStatus.OK;
      case Libc.ENOMEM, Libc.EAGAIN -> PostStatus.QUEUE_FULL;
      case Libc.EIO -> PostStatus.GONE;
      case Libc.ENOSYS, Libc.EOPNOTSUPP -> PostStatus.NOT_SUPPORTED;
      default -> PostStatus.INVALID;
    };
  }
}
