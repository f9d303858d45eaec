package ib.driver.verbs;

import ib.core.client.DeviceLease;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Makes objects of the host's device and waits to be killed. */
public final class HeldObjects {
  private HeldObjects() {}

  /**
   * Prints a line with its process number when the objects are there.
   *
   * @param args none
   * @throws InterruptedException when it is interrupted
   */
  public static void main(String[] args) throws InterruptedException {
    String device = System.getProperty(VerbsBench.DEVICE);
    try (StandaloneFabric fabric =
            StandaloneFabric.options(VerbsDriver.PID).device(device, Map.of()).open();
        DeviceLease lease = fabric.core().lease(device, "held");
        ProtectionDomain pd = lease.device().allocPd();
        CompletionQueue cq = lease.device().createCq(new CqInit(16));
        MemoryRegion mr = pd.allocMemory(65_536, 4096, Access.LOCAL_WRITE);
        QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)))) {
      System.out.println("held " + mr + " " + qp + " by " + ProcessHandle.current().pid());
      new CountDownLatch(1).await();
    }
  }
}
