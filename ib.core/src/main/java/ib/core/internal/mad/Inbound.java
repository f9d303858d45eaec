package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadSource;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.DirectedRoute;
import ib.core.spi.MadVerdict;
import ib.core.wire.MadHeader;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches the datagrams that arrive at a port: to the driver, to an agent, or to a refusal. Used
 * on the port's serial only.
 */
final class Inbound {
  private static final String BAD_HEADER = "a header that is no MAD's";
  private static final String OTHER_QP = "a class of the other special queue pair";
  private static final String PASSING = "a directed route that does not end at the port";

  private final MadPort port;
  private final Wire wire;

  Inbound(MadPort port, Wire wire) {
    this.port = port;
    this.wire = wire;
  }

  void arrived(int qpn, Mad mad, MadSource source) {
    port.count(Counter.RECEIVED);
    MadHeader h = mad.header();
    boolean smi = MgmtClass.smi(h.mgmtClass());
    if (MadHeader.check(mad.bytes(), 0, (int) mad.bytes().byteSize()) != null) { // IBA 13.5.1
      port.refused(Counter.MALFORMED, BAD_HEADER, source);
      return;
    }
    if (smi != (qpn == 0)) { // IBA 13.4.4: subnet management is on QP0 alone
      port.refused(Counter.MALFORMED, OTHER_QP, source);
      return;
    }
    if (h.mgmtClass() == MgmtClass.SUBN_DIRECTED_ROUTE
        && DirectedRoute.receive(mad.bytes(), port.number) != DirectedRoute.Way.LOCAL) {
      port.refused(Counter.UNROUTED, PASSING, source);
      return;
    }
    if (h.response()) {
      response(mad, source);
    } else if (!driver(mad, source)) {
      request(mad, source);
    }
  }

  /** Offers a request to the driver's agents (M8); {@return whether it is done with}. */
  private boolean driver(Mad mad, MadSource source) {
    Mad out = Mad.of(java.lang.foreign.MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES]));
    MadVerdict verdict = wire.process(source, mad.bytes(), out.bytes());
    if (verdict == MadVerdict.REPLY) {
      port.count(Counter.DRIVER_REPLIES);
      port.answer(out, source);
    }
    return verdict != MadVerdict.PASS;
  }

  private void request(Mad mad, MadSource source) {
    if (control(mad)) {
      port.transfers.control(mad, source, null);
      return;
    }
    Agent agent = port.agents.ofRequest(mad);
    if (agent == null) {
      refuse(mad, source);
    } else if (agent.rmpp() && Rmpp.active(mad)) {
      port.transfers.request(agent, mad, source);
    } else {
      agent.deliver(new MadReceived(mad, source));
    }
  }

  private static boolean control(Mad mad) {
    return MgmtClass.rmpp(mad.header().mgmtClass())
        && Rmpp.active(mad)
        && mad.rmpp().rmppType() != ib.core.wire.RmppHeader.TYPE_DATA;
  }

  /**
   * Refuses a request that no agent is registered for: Get and Set get a response with an error
   * status (IBA 13.4.5, as in Linux), other methods are dropped.
   */
  private void refuse(Mad mad, MadSource source) {
    int method = mad.header().method();
    if (method == MadMethod.GET || method == MadMethod.SET) {
      port.answer(mad.response(MadStatus.BAD_METHOD_ATTRIBUTE), source);
    }
    port.count(Counter.NO_AGENT);
  }

  private void response(Mad mad, MadSource source) {
    Agent agent = port.agents.ofResponse(mad.header());
    if (agent == null) {
      if (!source.local() || !driver(mad, source)) { // it may be for a manager at this very port
        port.count(Counter.NO_AGENT);
      }
      return;
    }
    Exchange e = answered(mad);
    if (agent.rmpp() && control(mad)) {
      port.transfers.control(mad, source, e);
      return;
    }
    if (agent.rmpp() && MgmtClass.rmpp(mad.header().mgmtClass()) && Rmpp.active(mad)) {
      port.transfers.response(mad, source, e);
    } else if (e == null) {
      port.count(Counter.LATE); // also a second one (M5)
    } else {
      port.exchanges.done(e);
      e.complete(new MadReceived(mad, source));
    }
  }

  private @Nullable Exchange answered(Mad mad) {
    Exchange e = port.exchanges.waiting(mad.header().transactionId());
    return e != null && e.request.header().mgmtClass() == mad.header().mgmtClass() ? e : null;
  }
}
