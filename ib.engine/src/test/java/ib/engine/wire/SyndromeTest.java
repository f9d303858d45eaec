package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 1: timer tables, beside the specification's")
class SyndromeTest {
  /** IBA table 45, in milliseconds, from code 0 on. */
  private static final String RNR =
      "655.36 0.01 0.02 0.03 0.04 0.06 0.08 0.12 0.16 0.24 0.32 0.48 0.64 0.96 1.28 1.92 2.56 3.84"
          + " 5.12 7.68 10.24 15.36 20.48 30.72 40.96 61.44 81.92 122.88 163.84 245.76 327.68"
          + " 491.52";

  @Test
  @DisplayName("IBA table 45: the 32 RNR timer values")
  void receiverNotReady() {
    String[] ms = RNR.split(" ");
    assertEquals(32, ms.length);
    for (int code = 0; code < 32; code++) {
      long ns = Math.round(Double.parseDouble(ms[code]) * 1e6);
      assertEquals(ns, Syndrome.rnrNs(0x20 | code), "code " + code);
    }
  }

  @Test
  @DisplayName("IBA 11.2.5.2: 4.096 us * 2^n, 0 for never")
  void acknowledgement() {
    assertEquals(0, Syndrome.ackTimeoutNs(0));
    for (int n = 1; n < 32; n++) {
      assertEquals(Math.round(4096 * Math.pow(2, n)), Syndrome.ackTimeoutNs(n), "2^" + n);
    }
  }
}
