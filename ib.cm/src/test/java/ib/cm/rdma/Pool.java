package ib.cm.rdma;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes small queue pairs that share a completion queue for each device. */
final class Pool implements QpFactory {
  private static final QpCap CAP = new QpCap(1, 1, 1, 1, 0);

  private record Shared(ProtectionDomain domain, CompletionQueue cq) {}

  private final QpType type;
  private final Map<IbDevice, Shared> shared = new HashMap<>();
  private final Map<QueuePair, IbDevice> live = new HashMap<>();
  private int made;

  Pool(QpType type) {
    this.type = type;
  }

  @Override
  public synchronized QueuePair make(IbDevice device, int port) {
    Shared own = shared.get(device);
    if (own == null) {
      own = new Shared(device.allocPd(), device.createCq(new CqInit(2)));
      shared.put(device, own);
    }
    QueuePair qp = own.domain.createQp(new QpInit(type, own.cq, CAP));
    live.put(qp, device);
    made++;
    return qp;
  }

  @Override
  public synchronized void destroyed(QueuePair qp) {
    @Nullable IbDevice device = live.remove(qp);
    if (device != null && !live.containsValue(device)) {
      Shared own = shared.remove(device);
      own.cq.close();
      own.domain.close();
    }
    notifyAll();
  }

  /** {@return how many queue pairs were made} */
  synchronized int made() {
    return made;
  }

  /** Waits until all queue pairs are gone. */
  synchronized void empty() throws InterruptedException {
    while (!live.isEmpty()) {
      wait();
    }
  }
}
