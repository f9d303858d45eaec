package ib.core.cm;

import ib.core.verbs.AnyContext;

/**
 * Hears what becomes of a question for a datagram service: one call, on a thread of the driver, or
 * none after the close.
 */
public interface ConnectorAnswer {
  /**
   * The service has answered.
   *
   * @param qpn its queue pair, 24 bits
   * @param qkey the queue pair's Q_Key
   * @param data private data of the answer, 136 bytes
   */
  @AnyContext
  void answered(int qpn, int qkey, byte[] data);

  /**
   * The service has refused, or nothing has answered.
   *
   * @param how UNRESOLVED, FAILED or REMOVED; UNREACHABLE when nothing has answered; REJECTED when
   *     the service refuses
   * @param status an error number; of a refusal its status (IBA 12.11.2)
   * @param data private data of a refusal
   */
  @AnyContext
  void ended(ConnectorEnd how, int status, byte[] data);
}
