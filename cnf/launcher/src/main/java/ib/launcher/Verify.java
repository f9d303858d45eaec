package ib.launcher;

import java.io.IOException;

/**
 * The system property {@code ib.verify}: {@code true} installs the bundle {@code ib.verifier}
 * before all others, {@code strict} makes {@code ib exec} fail, too, when a clause was broken.
 * Without the property the bundle is not installed, and costs nothing.
 */
final class Verify {
  /** Symbolic name of the bundle. */
  static final String BUNDLE = "ib.verifier";

  /** The bundle has to be there before the bundles whose classes it checks. */
  static final int START_LEVEL = 1;

  private static final String PROPERTY = "ib.verify";
  private static final String STRICT = "strict";

  private Verify() {}

  /**
   * Returns whether the bundle is to be installed. If so, the midlayer checks its part as well.
   *
   * @throws IOException when the property has an unknown value
   */
  static boolean wanted() throws IOException {
    String value = System.getProperty(PROPERTY, "false");
    if (value.equals("false")) {
      return false;
    }
    if (!value.equals("true") && !value.equals(STRICT)) {
      throw new IOException("-D" + PROPERTY + "=" + value + ": true, strict or false is possible");
    }
    if (System.getProperty("ib.check") == null) {
      System.setProperty("ib.check", "true");
    }
    return true;
  }

  /** {@return whether a broken clause makes {@code ib exec} fail} */
  static boolean strict() {
    return STRICT.equals(System.getProperty(PROPERTY));
  }
}
