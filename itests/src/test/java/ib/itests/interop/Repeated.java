package ib.itests.interop;

import org.junit.Test;

/** The last test of the lane. */
public class Repeated {
  /** Findings B13: what was run a second time is a result of its own. */
  @Test
  public void findingsB13FewCasesWereRunASecondTime() {
    Lane.LANE.repeats.check();
  }
}
