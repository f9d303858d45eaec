package ib.ulp.ipoib;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;
import java.io.IOException;

/**
 * The kernel has refused an interface. It has no stack: the sentence is for whoever runs the
 * program, and the kernel's reason is part of it.
 */
public final class IpoibException extends IbException {
  private static final long serialVersionUID = 1L;

  IpoibException(String name, IOException why) {
    super(Errno.EACCES, "interface " + name, String.valueOf(why.getMessage()), "backend = jvm");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
