package ib.engine.qp;

import ib.core.verbs.QpInit;
import ib.engine.cq.SoftCq;
import org.jspecify.annotations.Nullable;

/** Makes queue pairs; the one implementation is a constructor of a later package. */
public interface QpMaker {
  /**
   * Makes one.
   *
   * @param hca its device
   * @param init as the consumer asks for it
   * @param domain the number of its protection domain
   * @param sendCq where its sends complete
   * @param recvCq where its receives complete
   * @param srq the queue that has its receives, or null
   * @return the queue pair, in RESET
   */
  QpCore make(
      HcaCore hca, QpInit init, int domain, SoftCq sendCq, SoftCq recvCq, @Nullable SoftSrq srq);
}
