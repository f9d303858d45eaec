package ib.itests.verify;

import ib.core.client.IbClient;
import ib.core.verbs.Access;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Sleeps in its completion handler, for which a flushed receive suffices; leaves an object behind.
 */
public final class SleepyUlp implements BundleActivator, IbClient, CompHandler {
  private final CountDownLatch slept = new CountDownLatch(1);

  @Override
  public void start(BundleContext context) {
    context.registerService(IbClient.class, this, null);
  }

  @Override
  public void stop(BundleContext context) {
    // the framework unregisters the client
  }

  @Override
  public String name() {
    return "sleepy";
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    device.allocPd(); // left behind (S32)
    try (ProtectionDomain pd = device.allocPd();
        CompletionQueue cq = device.createCq(new CqInit(4, this, null));
        MemoryRegion memory = pd.allocMemory(64, 64, Access.LOCAL_WRITE);
        QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0)))) {
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      qp.postReceive(1, memory.lkey(), memory.iova(), 64);
      qp.modify(new QpAttr().state(QpState.ERR));
      if (!slept.await(10, TimeUnit.MINUTES)) {
        throw new IllegalStateException("no completion within 30 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    // what add has left stays
  }

  @Override
  public void complete(CompletionQueue cq, @Nullable Object context) {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    slept.countDown();
  }
}
