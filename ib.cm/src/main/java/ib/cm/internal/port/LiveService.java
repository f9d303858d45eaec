package ib.cm.internal.port;

import ib.cm.CmDatagramRequest;
import ib.cm.internal.machine.Asked;
import ib.core.serial.Mailbox;
import ib.core.verbs.AhAttr;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** The handler of a datagram service with the questions that it has not heard yet. */
final class LiveService extends Mailbox<Runnable> {
  private static final int MAX_WAITING = 65_536;

  private final LivePort port;
  private final Consumer<CmDatagramRequest> handler;

  LiveService(LivePort port, Consumer<CmDatagramRequest> handler) {
    super(Share.CALLBACKS, MAX_WAITING);
    this.port = port;
    this.handler = handler;
  }

  /** {@return whether the question will be heard} */
  boolean take(Asked asked) {
    return offer(() -> handle(new Request(asked)));
  }

  @Override
  protected void hear(Runnable item) {
    item.run();
  }

  private void handle(Request request) {
    try {
      handler.accept(request);
    } catch (Throwable e) { // of code that is not ours
      LoggerFactory.getLogger(LiveService.class).error("the handler of {} failed", request, e);
      port.run(s -> s.datagrams().refuse(request.asked));
    }
  }

  /** A question as the handler sees it. */
  private final class Request implements CmDatagramRequest {
    private final Asked asked;

    Request(Asked asked) {
      this.asked = asked;
    }

    @Override
    public long serviceId() {
      return asked.serviceId();
    }

    @Override
    public AhAttr source() {
      return asked.way();
    }

    @Override
    public byte[] privateData() {
      return asked.privateData();
    }

    @Override
    public void accept(int qpn, int qkey, byte[] privateData) {
      port.run(s -> s.datagrams().accept(asked, qpn, qkey, privateData));
    }

    @Override
    public void reject(int status, byte[] privateData) {
      port.run(s -> s.datagrams().reject(asked, status, privateData));
    }

    @Override
    public String toString() {
      return asked.toString();
    }
  }
}
