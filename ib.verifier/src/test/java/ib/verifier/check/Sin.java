package ib.verifier.check;

/**
 * The probe before a call, in one expression with the call: in woven code both are of one line. The
 * frames of this package are no place of a report.
 */
public final class Sin {
  private Sin() {}

  public static boolean registers(Verifier verifier, String call, String culprit) {
    verifier.registers(call, culprit);
    return true;
  }

  public static boolean sleeps(Verifier verifier, String call, String culprit) {
    verifier.mightSleep(call, culprit);
    return true;
  }
}
