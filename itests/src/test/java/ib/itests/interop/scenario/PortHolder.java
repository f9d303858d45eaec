package ib.itests.interop.scenario;

import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What is held at a port for a case: connections without messages that this side begins or accepts,
 * and requests that it lets wait or refuses.
 */
final class PortHolder implements RdmaHandler, AutoCloseable {
  private static final int REFUSAL_BYTES = 148;
  private static final QpCap CAP = new QpCap(1, 1, 1, 1, 0);

  private final RdmaCm cm;
  private final Queue<RdmaRequest> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger established = new AtomicInteger();
  private final Map<String, Integer> ends = new TreeMap<>(); // guarded by itself

  PortHolder(RdmaCm cm) {
    this.cm = cm;
  }

  /** One connection's objects. */
  private static final class Objects implements QpFactory {
    private ProtectionDomain pd;
    private CompletionQueue cq;

    @Override
    public QueuePair make(IbDevice device, int port) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(2));
      return pd.createQp(new QpInit(QpType.RC, cq, CAP));
    }

    @Override
    public void destroyed(QueuePair qp) {
      cq.close();
      pd.close();
    }
  }

  /** Listens, and does with each request what the word says. */
  InetSocketAddress listen(InetSocketAddress at, String how) {
    return cm.listen(at, PortSpace.TCP, 0, request -> answer(request, how)).localAddress();
  }

  private void answer(RdmaRequest request, String how) {
    requests.incrementAndGet();
    switch (how) {
      case "refuse" -> request.reject(new byte[REFUSAL_BYTES]);
      case "accept" -> request.accept(RdmaOptions.rc(), new Objects(), this);
      case "wait" -> waiting.add(request);
      default -> throw new IllegalArgumentException(how);
    }
  }

  /** Accepts all that wait; {@return what became of each} */
  String acceptWaiting() {
    StringBuilder all = new StringBuilder();
    for (RdmaRequest next = waiting.poll(); next != null; next = waiting.poll()) {
      try {
        next.accept(RdmaOptions.rc(), new Objects(), this);
        all.append("accepted\n");
      } catch (IbException e) {
        all.append(e.getMessage()).append('\n');
      }
    }
    return all.toString();
  }

  /** Begins connections. */
  void connect(int count, InetSocketAddress to, int ackTimeout) {
    CmTerms terms = new CmTerms(7, ackTimeout, 20, 15, 0);
    for (int i = 0; i < count; i++) {
      cm.start(to, RdmaOptions.rc().terms(terms), new Objects(), this);
    }
  }

  @Override
  public void established(RdmaConnection connection) {
    established.incrementAndGet();
  }

  @Override
  public void ended(RdmaConnection connection, RdmaEnd end) {
    String how = end.kind() + " " + end.status() + " in " + connection.qp().state();
    connection.close();
    synchronized (ends) {
      ends.merge(how, 1, Integer::sum);
    }
  }

  @Override
  public String toString() {
    synchronized (ends) {
      return "requests " + requests + ", established " + established + ", ends " + ends;
    }
  }

  @Override
  public void close() {
    cm.close();
  }
}
