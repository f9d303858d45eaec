package ib.core.verbs;

/** The error numbers of the control path, with their values on Linux (asm-generic). */
public enum Errno implements Numbered {
  /** Operation not permitted. */
  EPERM(1),
  /** No such object. */
  ENOENT(2),
  /** The thread was interrupted. */
  EINTR(4),
  /** Input/output error; here: the device is gone. */
  EIO(5),
  /** Not now: try again. */
  EAGAIN(11),
  /** Out of memory or of a resource of the device. */
  ENOMEM(12),
  /** Permission denied by an access right. */
  EACCES(13),
  /** Still in use. */
  EBUSY(16),
  /** Exists already. */
  EEXIST(17),
  /** No such device. */
  ENODEV(19),
  /** Invalid argument or state. */
  EINVAL(22),
  /** Table full. */
  ENFILE(23),
  /** Waiting would never end. */
  EDEADLK(35),
  /** Too many for what was to hold them. */
  EOVERFLOW(75),
  /** Not supported by the device. */
  EOPNOTSUPP(95),
  /** Timed out. */
  ETIMEDOUT(110);

  private final int value;

  Errno(int value) {
    this.value = value;
  }

  /** {@return the number on Linux} */
  @Override
  public int value() {
    return value;
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, 1 to 133
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static Errno of(int value) {
    return Numbered.of(values(), value, "use a Linux errno value");
  }
}
