package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PollContext;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A client of soft0 with a thread inside done(), for whose end its remove waits. */
final class DoneClient implements IbClient {
  final CountDownLatch inside = new CountDownLatch(1);
  final CountDownLatch removing = new CountDownLatch(1);
  final CountDownLatch go = new CountDownLatch(1);
  final CountDownLatch returned = new CountDownLatch(1);
  volatile @Nullable Thread remover;
  volatile @Nullable Throwable thrown;
  private final Runnable action;
  private volatile @Nullable CompletionQueue cq;
  private volatile @Nullable QueuePair qp;

  DoneClient(Runnable action) {
    this.action = action;
  }

  @Override
  public String name() {
    return "done";
  }

  @Override
  public boolean supports(DeviceInfo device) {
    return device.name().equals("soft0");
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    Side side = new Side(device, 1);
    cq = device.allocCq(16, 0, PollContext.WORKQUEUE);
    qp = side.pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0)));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.modify(new QpAttr().state(QpState.ERR));
    RecvWr wr =
        new RecvWr(1)
            .wrId(1)
            .cqe((q, wc) -> done())
            .addSge(side.mr.lkey(), side.memory().address(), 8);
    assertEquals(0, qp.postReceive(wr)); // flushed at once
    return side;
  }

  private void done() {
    inside.countDown();
    try {
      assertTrue(go.await(10, TimeUnit.MINUTES));
      action.run();
    } catch (Throwable e) {
      thrown = e;
    } finally {
      returned.countDown();
    }
  }

  @Override
  public void remove(IbDevice device, @Nullable Object data) {
    remover = Thread.currentThread();
    removing.countDown();
    qp.close();
    cq.close();
    ((Side) data).close();
  }

  /** {@return whether a thread waits inside of the midlayer for the end of a callback} */
  static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(
                f -> f.getClassName().startsWith("ib.core.") && f.getMethodName().equals("fence"));
  }

  /** Waits until it holds; whoever calls it has a time limit. */
  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
