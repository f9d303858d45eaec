package ib.tools.fabric;

import ib.core.client.IbCore;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.core.verbs.QpType;
import java.lang.foreign.MemorySegment;

/** Sends queries through QP0 of a local port. Calls block until the answer or the time limit. */
final class Smi implements SmpQuery {
  private final Requests requests;

  private Smi(Requests requests) {
    this.requests = requests;
  }

  /**
   * Opens QP0; see {@link Requests#open}.
   *
   * @throws ib.core.verbs.IbException when the port has no QP0, or its device was removed
   */
  static Smi open(IbCore core, LocalPort port, String holder, int timeoutMs) {
    return new Smi(Requests.open(core, port, QpType.SMI, holder, timeoutMs));
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
          case Route.Lid l -> MadAddress.smi(requests.port(), l.lid());
          case Route.Directed d -> MadAddress.directed(requests.port());
        };
    return requests.ask(to.text(), request, address);
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

  @Override
  public int lid() {
    return requests.attr().lid();
  }

  @Override
  public int smLid() {
    return requests.attr().smLid();
  }

  @Override
  public void close() {
    requests.close();
  }
}
