package ib.core.verbs;

import ib.core.verbs.ObjectControl.Kind;
import java.util.function.Function;

/**
 * The one way an object comes to life: reserve, let the driver make it, publish or give back (B11).
 */
final class Creation {
  private Creation() {}

  static <T extends IbObject> T run(
      ObjectControl parent, Kind kind, Function<ObjectControl, T> driver, IbObject... uses) {
    try {
      return make(parent.child(kind, uses), driver);
    } catch (OutOfMemoryError e) {
      throw IbNoMemoryException.of(parent + ".create " + kind, e);
    }
  }

  private static <T extends IbObject> T make(
      ObjectControl reserved, Function<ObjectControl, T> driver) {
    T made;
    boolean ok = false;
    try {
      made = driver.apply(reserved);
      if (made == null || !made.control().equals(reserved)) {
        throw new IllegalStateException(
            "the driver of " + reserved.device().name() + " made no new " + reserved.kind());
      }
      ok = true;
    } finally {
      if (!ok) {
        reserved.abort();
      }
    }
    reserved.publish(made, made::destroyNow);
    return made;
  }
}
