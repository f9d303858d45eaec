package ib.core.wire;

/** How many bytes of payload an opcode carries, padding not counted (IBA vol. 1 section 9.2.1). */
public enum PayloadRule {
  /** None. */
  NONE("0", 0, 0),
  /** Exactly a path MTU. */
  FULL("PMTU", 0, PayloadRule.MAX_MTU),
  /** At least one byte, at most a path MTU. */
  REST("1..PMTU", 0, PayloadRule.MAX_MTU),
  /** At most a path MTU. */
  ANY("0..PMTU", 0, PayloadRule.MAX_MTU),
  /** The eight bytes of an atomic write. */
  EIGHT("8", 8, 8),
  /** The reserved sixteen bytes of a congestion notification. */
  SIXTEEN("16", 16, 16);

  /** The largest path MTU. */
  public static final int MAX_MTU = 4096;

  private final String text;
  private final int least;
  private final int most;

  PayloadRule(String text, int least, int most) {
    this.text = text;
    this.least = least;
    this.most = most;
  }

  /**
   * Whether a payload is possible whatever the path MTU. What depends on the MTU is for the queue
   * pair to refuse, which answers it with a NAK (IBA 9.7.4.1.6) where a decoder drops in silence.
   *
   * @param bytes length of the payload
   * @return false when it is malformed
   */
  public boolean possible(int bytes) {
    return bytes >= least && bytes <= most;
  }

  /** {@return the rule as a table prints it: 0, PMTU, 1..PMTU, 0..PMTU, 8 or 16} */
  @Override
  public String toString() {
    return text;
  }
}
