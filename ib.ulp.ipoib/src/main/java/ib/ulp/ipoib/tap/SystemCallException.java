package ib.ulp.ipoib.tap;

import java.io.IOException;

/** A system call that failed: its text says what was attempted and why, its errno which failure. */
final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The error number of Linux. */
  final int errno;

  SystemCallException(String what, String why, int errno) {
    super(what + ": " + why);
    this.errno = errno;
  }
}
