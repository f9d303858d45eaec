package ib.core.mad;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.MaySleep;
import java.util.concurrent.CompletableFuture;

/**
 * A party to management on one port (kernel: ib_mad_agent). It belongs to the client whose handle
 * made it: what is left of it when the client's {@code remove} returns is reported as a leak and
 * closed by force (D2).
 *
 * <p>Transaction identifiers (M4): the upper 32 bits of every request are the agent's {@link
 * #hiTid} and are written by the layer, the lower 32 bits are the caller's, if not 0, else the
 * layer's. Responses come back to the agent whose upper half they carry. Requests of others go by
 * class, version and method.
 *
 * <p>Futures complete on the agent's own serial queue, never on the caller's stack and never two at
 * once (M11); cancelling one forgets the request, a response to it is dropped and counted.
 */
public interface MadAgent extends AutoCloseable {

  /**
   * Registers an agent.
   *
   * @param device the handle given to {@code IbClient.add}, or a lease's
   * @param port from 1
   * @param what QP, class, methods
   * @param handler hears requests; {@link MadHandler#NONE} of an agent that only sends
   * @return the agent; the caller closes it
   * @throws ib.core.verbs.IbExistsException when another agent has a method of that class
   * @throws ib.core.verbs.IbNotSupportedException when the port has no such QP: QP0 needs
   *     InfiniBand
   * @throws ib.core.verbs.IbInvalidException when there is no such port
   * @throws ib.core.verbs.IbPermissionException for a device that is a service object
   */
  @MaySleep
  static MadAgent register(IbDevice device, int port, MadRegistration what, MadHandler handler) {
    if (device instanceof MadPorts handle) {
      return handle.registerAgent(port, what, handler);
    }
    throw IbPermissionException.notAHandle(device, "MadAgent.register");
  }

  /** {@return the handle it was made with} */
  @AnyContext
  IbDevice device();

  /** {@return the port, from 1} */
  @AnyContext
  int port();

  /** {@return what it is registered for} */
  @AnyContext
  MadRegistration registration();

  /** {@return the upper half of its transaction identifiers, unique on its port, not 0} */
  @AnyContext
  int hiTid();

  /**
   * Sends a request and waits for the response, without blocking. The status of the response is the
   * caller's to judge. With RMPP either side may be longer than a datagram, both for GetMulti (M7).
   *
   * @param request what; copied at once
   * @param to where to
   * @param timeoutMs how long to wait for the response each time, at least 1
   * @param retries how often to send it again, from 0 (M5)
   * @return the response; fails with {@link ib.core.verbs.IbTimedOutException} when none came, with
   *     {@link RmppException} when the transfer was given up, with {@link
   *     ib.core.verbs.IbDisassociatedException} when the agent was closed (M6), with {@link
   *     ib.core.verbs.IbInvalidException} when the request cannot be sent
   */
  @AnyContext
  CompletableFuture<MadReceived> query(Mad request, MadAddress to, int timeoutMs, int retries);

  /**
   * Sends something that is not answered: a response, a trap. The transaction identifier is left as
   * it is. A response longer than a datagram goes by RMPP, when the agent has it.
   *
   * @param mad what; copied at once
   * @param to where to
   * @return completes when it was sent, by RMPP when all of it was acknowledged; fails as {@link
   *     #query} does
   */
  @AnyContext
  CompletableFuture<Void> send(Mad mad, MadAddress to);

  /**
   * Sends a response back to where the request came from.
   *
   * @param request as received
   * @param response see {@link Mad#response}
   * @return as of {@link #send}
   */
  @AnyContext
  CompletableFuture<Void> reply(MadReceived request, Mad response);

  /**
   * Ends the agent: outstanding requests fail with {@link ib.core.verbs.IbDisassociatedException},
   * and when this returns no callback of it runs or will run (M6). Inside of one of its own
   * callbacks that fence is deferred until the callback returns (CC-17). A second call does
   * nothing.
   */
  @Override
  @MaySleep
  @Fence
  void close();
}
