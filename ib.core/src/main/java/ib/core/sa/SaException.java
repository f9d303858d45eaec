package ib.core.sa;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** The subnet administrator has answered, and not with what was asked for. */
public class SaException extends IbException {
  private static final long serialVersionUID = 1L;

  private final SaStatus status;
  private final int raw;

  /**
   * Reports it.
   *
   * @param what what was asked
   * @param raw the status of the answer, 16 bits
   */
  public SaException(String what, int raw) {
    super(
        errno(SaStatus.of(raw)),
        what,
        String.format("the subnet administrator answers %s 0x%04x", SaStatus.of(raw), raw),
        "");
    this.status = SaStatus.of(raw);
    this.raw = raw;
  }

  private static Errno errno(SaStatus status) {
    return switch (status) {
      case NO_RESOURCES -> Errno.ENOMEM;
      case BUSY -> Errno.EAGAIN;
      case NO_RECORDS -> Errno.ENOENT;
      case DENIED -> Errno.EACCES;
      case BAD_METHOD, BAD_METHOD_ATTRIBUTE, BAD_VERSION -> Errno.EOPNOTSUPP;
      default -> Errno.EINVAL;
    };
  }

  /** {@return what it answered} */
  public SaStatus status() {
    return status;
  }

  /** {@return what it answered, 16 bits} */
  public int raw() {
    return raw;
  }
}
