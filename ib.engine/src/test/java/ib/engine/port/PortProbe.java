package ib.engine.port;

import ib.engine.qp.QpCore;
import java.util.function.Consumer;

/** The internal state of a device, for checkers. */
public final class PortProbe {
  private PortProbe() {}

  /** Visits the queue pairs that have a number of their own. */
  public static void queuePairs(HcaCore hca, Consumer<QpCore> visitor) {
    hca.qps.forEach(visitor);
  }

  /** {@return how many objects a device has counted in} */
  public static int counted(HcaCore hca) {
    return hca.counted();
  }
}
