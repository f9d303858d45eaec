package ib.health;

/**
 * One thing that a check has found.
 *
 * @param check which check: devices, ports, clients, events, contract or bundles
 * @param verdict how bad it is
 * @param text what was found
 * @param instead a command that shows more or helps, or empty
 */
public record Finding(String check, Verdict verdict, String text, String instead) {
  /** How bad a finding is. */
  public enum Verdict {
    /** As it should be. */
    OK,
    /** Works, but is worth a look. */
    WARN,
    /** Does not work. */
    FAIL
  }

  /** {@return a finding that all is well} */
  public static Finding ok(String check, String text) {
    return new Finding(check, Verdict.OK, text, "");
  }
}
