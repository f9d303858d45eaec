package ib.engine.qp;

import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;

/** The control path's refusals, worded once. */
final class Refusals {
  private Refusals() {}

  static IbInvalidException range(String what, long value, long least, long most) {
    return new IbInvalidException(what + " " + value, "out of range", least + " to " + most);
  }

  static IbDisassociatedException gone(String method) {
    return new IbDisassociatedException(method, "the device is gone", "wait for it to come back");
  }
}
