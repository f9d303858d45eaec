package ib.bench.connect;

import ib.cm.rdma.QpFactory;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/** Makes the queue pairs of a side. Its monitor guards what is made. */
final class Factory implements QpFactory {
  private static final QpCap CAP = new QpCap(1, 1, 1, 1, 0);

  /** For all queue pairs. */
  private record Shared(ProtectionDomain domain, CompletionQueue cq) {}

  private final boolean lasting;
  private @Nullable Shared shared;
  private int live;

  /**
   * Creates a factory.
   *
   * @param lasting whether domain and completion queue stay when no queue pair is left; not where
   *     the device goes
   */
  Factory(boolean lasting) {
    this.lasting = lasting;
  }

  @Override
  public synchronized QueuePair make(IbDevice device, int port) {
    Shared own = shared;
    if (own == null) {
      own = new Shared(device.allocPd(), device.createCq(new CqInit(2)));
      shared = own;
    }
    live++;
    return own.domain.createQp(new QpInit(QpType.RC, own.cq, CAP));
  }

  @Override
  public synchronized void destroyed(QueuePair qp) {
    live--;
    if (live == 0 && !lasting) {
      free();
    }
    notifyAll();
  }

  private void free() {
    Shared own = shared;
    if (own != null) {
      own.cq.close();
      own.domain.close();
      shared = null;
    }
  }

  /** Waits until all queue pairs are gone. */
  synchronized void close() throws InterruptedException {
    while (live > 0) {
      wait();
    }
    free();
  }
}
