package ib.engine.qp;

import ib.engine.cq.CqHost;
import ib.engine.link.Link;
import ib.engine.mr.KeyTable;
import ib.engine.run.Worker;

/**
 * A device as its queue pairs know it: its configuration, its worker and the keys of its memory.
 * The one subclass has what belongs to all queue pairs together. Any thread may call.
 */
public abstract class Hca extends CqHost {
  private final HcaConfig config;
  private final Worker worker;
  private final KeyTable lkeys = new KeyTable();
  private final KeyTable rkeys = new KeyTable();

  /**
   * Makes one without memory.
   *
   * @param config the configuration
   * @param worker runs the timers, and what other threads leave
   */
  protected Hca(HcaConfig config, Worker worker) {
    this.config = config;
    this.worker = worker;
  }

  /** {@return the configuration} */
  public final HcaConfig config() {
    return config;
  }

  @Override
  public final Worker worker() {
    return worker;
  }

  /** {@return the keys of local accesses} */
  public final KeyTable lkeys() {
    return lkeys;
  }

  /** {@return the keys of accesses of the peer} */
  public final KeyTable rkeys() {
    return rkeys;
  }

  /**
   * A port.
   *
   * @param number from 1
   * @return the port
   * @throws ib.core.verbs.IbInvalidException for any other number
   */
  public abstract Link port(int number);

  /**
   * Adds the counts of a queue pair to those of its port; the queue pair begins at 0. Only the
   * thread that holds the claim calls this.
   */
  public abstract void takeCounts(QpCore qp);
}
