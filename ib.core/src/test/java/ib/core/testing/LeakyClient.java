package ib.core.testing;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A client that leaves everything behind; loaded by a class loader of its own. */
public final class LeakyClient implements Consumer<IbDevice> {
  private final CountDownLatch called = new CountDownLatch(4);

  /** Made by reflection. */
  public LeakyClient() {}

  @Override
  public void accept(IbDevice device) {
    Thread.currentThread().setContextClassLoader(LeakyClient.class.getClassLoader());
    CompletionQueue raw = device.createCq(new CqInit(16, (q, c) -> called.countDown(), this));
    raw.requestNotify(NotifyFlags.NEXT_COMP);
    ((FakeCq) raw).complete(1);
    for (PollContext context : PollContext.values()) {
      FakeCq cq = (FakeCq) device.allocCq(16, 0, context);
      cq.complete(new WorkCompletion().status(WcStatus.SUCCESS).cqe((q, wc) -> called.countDown()));
    }
    QpInit init =
        new QpInit(QpType.RC, raw, Objects7.CAP)
            .withEventHandler((e, c) -> called.countDown(), this);
    FakeQp qp = (FakeQp) device.allocPd().createQp(init);
    qp.event(EventType.COMM_EST);
    SilentHandler.register(device);
    Wait.on(called);
  }
}
