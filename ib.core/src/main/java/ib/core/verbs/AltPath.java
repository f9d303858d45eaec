package ib.core.verbs;

/**
 * The alternate path of a connected QP (IBA automatic path migration), which it migrates to when
 * the primary one fails.
 *
 * @param av address of the peer over this path
 * @param pkeyIndex index of the P_Key, 16 bits
 * @param port port to leave by, 1 to 255
 * @param timeout local ACK timeout 4.096 us * 2^n, 0 to 31
 */
public record AltPath(AhAttr av, int pkeyIndex, int port, int timeout) {

  /**
   * Checks the ranges.
   *
   * @throws IbInvalidException if a number is out of its range
   */
  public AltPath {
    IbInvalidException.given(av, "AltPath", "av");
    Range.check("alternate pkeyIndex", pkeyIndex, 0xFFFF);
    Range.check("alternate port", port, 0xFF);
    Range.check("alternate timeout", timeout, 31);
  }
}
