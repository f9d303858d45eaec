package ib.tools.fabric;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.verbs.IbException;
import ib.core.verbs.PortAttr;
import ib.core.verbs.QpType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends management requests through QP0 or QP1 of a local port. Calls block until the answer or the
 * time limit.
 */
final class Requests implements AutoCloseable {
  private static final int RETRIES = 2; // libibmad's three attempts
  private static final int GRACE_MS = 2_000;

  private final LocalPort port;
  private final DeviceLease lease;
  private final MadAgent agent;
  private final int timeoutMs;

  private Requests(LocalPort port, DeviceLease lease, MadAgent agent, int timeoutMs) {
    this.port = port;
    this.lease = lease;
    this.agent = agent;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Opens the queue pair.
   *
   * @param core the midlayer
   * @param port the local port
   * @param type SMI or GSI
   * @param holder name of the command
   * @param timeoutMs time limit of each attempt in milliseconds
   * @throws IbException when the port has no such queue pair, or its device was removed
   */
  static Requests open(IbCore core, LocalPort port, QpType type, String holder, int timeoutMs) {
    DeviceLease lease = core.lease(port.device(), holder);
    boolean ok = false;
    try {
      MadRegistration sender = MadRegistration.sender(type);
      MadAgent agent = MadAgent.register(lease.device(), port.number(), sender, MadHandler.NONE);
      ok = true;
      return new Requests(port, lease, agent, timeoutMs);
    } finally {
      if (!ok) {
        lease.close();
      }
    }
  }

  /** {@return the number of the local port, from 1} */
  int port() {
    return port.number();
  }

  /** {@return the attributes of the local port} */
  PortAttr attr() {
    return lease.device().port(port.number());
  }

  /** {@return the data of the answer} */
  MemorySegment ask(String destination, Mad request, MadAddress to) throws NoAnswerException {
    String what = "mad_rpc: dport (" + destination + ")";
    try {
      MadReceived answer =
          agent
              .query(request, to, timeoutMs, RETRIES)
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

  @Override
  public void close() {
    try {
      agent.close();
    } finally {
      lease.close();
    }
  }
}
