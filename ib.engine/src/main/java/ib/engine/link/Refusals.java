package ib.engine.link;

import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;

/** The control path's refusals, worded once. */
public final class Refusals {
  private Refusals() {}

  public static IbInvalidException range(String what, long value, long least, long most) {
    return new IbInvalidException(what + " " + value, "out of range", least + " to " + most);
  }

  public static IbDisassociatedException gone(String method) {
    return new IbDisassociatedException(method, "the device is gone", "wait for it to come back");
  }
}
