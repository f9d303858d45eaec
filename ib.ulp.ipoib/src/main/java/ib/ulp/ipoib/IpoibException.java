package ib.ulp.ipoib;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;
import java.io.IOException;

/** The kernel has refused an interface. */
public final class IpoibException extends IbException {
  private static final long serialVersionUID = 1L;

  IpoibException(String name, IOException why) {
    super(Errno.EACCES, "interface " + name, String.valueOf(why.getMessage()), "backend = jvm");
    initCause(why);
  }
}
