package ib.cm.internal.link;

import ib.cm.CmDatagramRequest;
import ib.cm.CmListener;
import ib.core.cm.ConnectorQuestion;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.serial.Mailbox;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbInvalidException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** A datagram service of a port, its listeners and its questions that were not answered yet. */
final class LinkService extends Mailbox<LinkService.Request> {
  private static final int MAX_WAITING = 65_536;
  private static final int MAX_QPN = 0xffffff;
  private static final int DATAGRAM_QKEY = 0x01234567; // RDMA CM's, the only one of the host's

  final long serviceId;
  private final LinkPort port;
  private final Consumer<CmDatagramRequest> handler;
  private final Consumer<LinkService> closing;
  private final Set<Request> waiting = ConcurrentHashMap.newKeySet();
  private final LinkListener ears;

  /**
   * Creates a service that listens nowhere.
   *
   * @param ears makes the listeners at the addresses of the port
   * @param closing called when it is closed
   */
  LinkService(
      long serviceId,
      LinkPort port,
      Consumer<CmDatagramRequest> handler,
      java.util.function.Function<LinkService, LinkListener> ears,
      Consumer<LinkService> closing) {
    super(LinkConnection.CALLBACKS, MAX_WAITING);
    this.serviceId = serviceId;
    this.port = port;
    this.handler = handler;
    this.closing = closing;
    this.ears = ears.apply(this);
  }

  /** Listens at the addresses that the port has now. */
  void look() {
    ears.look();
  }

  /** A peer asks; {@return whether the handler will hear of it} Else it is refused. */
  boolean asked(ConnectorQuestion question) {
    boolean room = waiting.size() < ears.backlog();
    Request request = new Request(question);
    waiting.add(request);
    if (!room || !offer(request)) {
      request.end(); // the host cannot drop a question: it refuses
      return false;
    }
    return true;
  }

  @Override
  protected void hear(Request request) {
    try {
      if (!request.answered.get()) {
        handler.accept(request);
      }
    } catch (Throwable e) { // of code that is not ours
      LoggerFactory.getLogger(LinkService.class).error("the handler of {} failed", request, e);
      request.end();
    }
  }

  /** Stops to listen; what was not answered is refused. */
  void stop() {
    ears.close();
    waiting.forEach(Request::end);
    closing.accept(this);
  }

  /** {@return the service for its program} */
  CmListener listener() {
    return new CmListener() {
      @Override
      public long serviceId() {
        return serviceId;
      }

      @Override
      public void backlog(int requests) {
        ears.backlog(requests);
      }

      @Override
      public void close() {
        stop();
      }
    };
  }

  @Override
  public String toString() {
    return String.format("datagram service 0x%016x of %s", serviceId, port);
  }

  /** A question as the handler sees it. */
  final class Request implements CmDatagramRequest {
    private final ConnectorQuestion question;
    private final AtomicBoolean answered = new AtomicBoolean();

    Request(ConnectorQuestion question) {
      this.question = question;
    }

    @Override
    public long serviceId() {
      return serviceId;
    }

    @Override
    public AhAttr source() {
      return port.way(question.local(), question.remote());
    }

    @Override
    public byte[] privateData() {
      CmaHeader ends =
          new CmaHeader(
              question.remote().getPort(),
              question.remote().getAddress(),
              question.local().getAddress());
      return ends.before(question.data(), CmKind.SIDR_REQ);
    }

    @Override
    public void accept(int qpn, int qkey, byte[] privateData) {
      if (qpn < 0 || qpn > MAX_QPN) {
        throw new IbInvalidException(toString() + ".accept", "queue pair " + qpn, "24 bits");
      }
      if (qkey != DATAGRAM_QKEY) {
        String why = String.format("the host answers with Q_Key 0x%08x only", DATAGRAM_QKEY);
        throw port.unsupported("accept", why, "that Q_Key");
      }
      answer("accept", privateData, () -> question.accept(qpn, privateData));
    }

    @Override
    public void reject(int status, byte[] privateData) {
      if (status != REJECTED) {
        throw port.unsupported("reject", "the host refuses with status 2 only", "status 2");
      }
      answer("reject", privateData, () -> question.reject(privateData));
    }

    private void answer(String how, byte[] data, Runnable by) {
      LinkPort.atMost("SIDR_REP", data, CmKind.SIDR_REP.privateBytes());
      if (!answered.compareAndSet(false, true)) {
        throw new IbInvalidException(
            toString() + "." + how, "it is answered, or its listener is closed", "the next one");
      }
      try {
        by.run();
      } finally {
        forget();
      }
    }

    private void forget() {
      waiting.remove(this);
      question.close();
    }

    /** Refuses it, unless it was answered. */
    void end() {
      if (answered.compareAndSet(false, true)) {
        forget();
      }
    }

    @Override
    public String toString() {
      return "question of " + question.remote() + " for " + LinkService.this;
    }
  }
}
