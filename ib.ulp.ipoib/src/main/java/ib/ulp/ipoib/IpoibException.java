package ib.ulp.ipoib;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;
import java.io.IOException;

/**
 * Thrown when the kernel refuses an interface. It has no stack trace: its message is for the user
 * who runs the program, and contains the kernel's reason.
 */
public final class IpoibException extends IbException {
  private static final long serialVersionUID = 1L;

  IpoibException(String name, IOException why) {
    super(Errno.EACCES, "interface " + name, String.valueOf(why.getMessage()), "set backend = jvm");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
