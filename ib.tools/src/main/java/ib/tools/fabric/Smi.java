package ib.tools.fabric;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.IbException;
import ib.core.verbs.PortAttr;
import ib.core.verbs.QpType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends queries through QP0 of a local port. Calls block until the answer or the time limit. */
final class Smi implements SmpQuery {
  private static final int RETRIES = 2; // libibmad's three attempts
  private static final int GRACE_MS = 2_000;

  private final LocalPort port;
  private final DeviceLease lease;
  private final MadAgent agent;
  private final int timeoutMs;

  private Smi(LocalPort port, DeviceLease lease, MadAgent agent, int timeoutMs) {
    this.port = port;
    this.lease = lease;
    this.agent = agent;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Opens QP0.
   *
   * @param core the midlayer
   * @param port the local port
   * @param holder name of the command
   * @param timeoutMs time limit of each attempt in milliseconds
   * @throws IbException when the port has no QP0, or its device was removed
   */
  static Smi open(IbCore core, LocalPort port, String holder, int timeoutMs) {
    DeviceLease lease = core.lease(port.device(), holder);
    boolean ok = false;
    try {
      MadRegistration sender = MadRegistration.sender(QpType.SMI);
      MadAgent agent = MadAgent.register(lease.device(), port.number(), sender, MadHandler.NONE);
      ok = true;
      return new Smi(port, lease, agent, timeoutMs);
    } finally {
      if (!ok) {
        lease.close();
      }
    }
  }

  @Override
  public MemorySegment get(Route to, SmpAttribute attribute, int modifier)
      throws NoAnswerException {
    return exchange(to, request(to, MadMethod.GET, attribute, modifier));
  }

  @Override
  public MemorySegment set(Route to, SmpAttribute attribute, int modifier, MemorySegment data)
      throws NoAnswerException {
    Mad request = request(to, MadMethod.SET, attribute, modifier);
    Smp.data(request.bytes()).copyFrom(data);
    return exchange(to, request);
  }

  private MemorySegment exchange(Route to, Mad request) throws NoAnswerException {
    MadAddress address =
        switch (to) {
          case Route.Lid l -> MadAddress.smi(port.number(), l.lid());
          case Route.Directed d -> MadAddress.directed(port.number());
        };
    String what = "mad_rpc: dport (" + to.text() + ")";
    try {
      MadReceived answer =
          agent
              .query(request, address, timeoutMs, RETRIES)
              .get((RETRIES + 1L) * timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
      int status = answer.mad().header().status() & 0x7fff; // without the D bit
      if (status != 0) {
        throw new NoAnswerException(String.format("%s: status 0x%x", what, status));
      }
      return answer.mad().data();
    } catch (ExecutionException e) {
      String why =
          e.getCause() instanceof IbException ours ? ours.why() : String.valueOf(e.getCause());
      throw new NoAnswerException(what + ": " + why, e);
    } catch (TimeoutException e) {
      throw new NoAnswerException(what + ": timeout", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NoAnswerException(what + ": interrupted", e);
    }
  }

  private static Mad request(Route to, int method, SmpAttribute attribute, int modifier) {
    return switch (to) {
      case Route.Lid l ->
          Mad.request(MgmtClass.SUBN_LID_ROUTED, 1, method, attribute.id(), modifier);
      case Route.Directed d ->
          directed(
              d, Mad.request(MgmtClass.SUBN_DIRECTED_ROUTE, 1, method, attribute.id(), modifier));
    };
  }

  private static Mad directed(Route.Directed route, Mad mad) {
    Smp.HOP_COUNT.set(mad.bytes(), route.hops().size());
    Smp.DR_SLID.set(mad.bytes(), Smp.PERMISSIVE_LID);
    Smp.DR_DLID.set(mad.bytes(), Smp.PERMISSIVE_LID);
    for (int i = 0; i < route.hops().size(); i++) {
      Smp.initialPath(mad.bytes(), i + 1, route.hops().get(i));
    }
    return mad;
  }

  private PortAttr attr() {
    return lease.device().port(port.number());
  }

  @Override
  public int lid() {
    return attr().lid();
  }

  @Override
  public int smLid() {
    return attr().smLid();
  }

  @Override
  public void close() {
    try {
      agent.close();
    } finally {
      lease.close();
    }
  }
}
