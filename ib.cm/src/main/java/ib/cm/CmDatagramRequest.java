package ib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.MaySleep;

/**
 * A question for a datagram service (SIDR_REQ): call {@link #accept} or {@link #reject}, in the
 * callback or later. While it is not answered it counts in the listener's backlog, and the same
 * question again is dropped. The service does not hear of the peer's queue pair.
 */
public interface CmDatagramRequest {
  /** Status: the port has no such service. */
  int NOT_SUPPORTED = 1;

  /** Status: the service does not want it. */
  int REJECTED = 2;

  /** Status: no queue pair is available. */
  int NO_QP = 3;

  /** {@return the service ID} */
  long serviceId();

  /** {@return the way to where the question comes from} */
  AhAttr source();

  /** {@return private data of the question: 216 bytes} */
  byte[] privateData();

  /**
   * Answers with a queue pair (status 0). The answer is sent once; when it is lost, the peer asks
   * again, and that is a new request.
   *
   * @param qpn number of a queue pair of type UD that receives, 24 bits
   * @param qkey its Q_Key, 32 bits
   * @param privateData at most 136 bytes
   * @throws ib.core.verbs.IbInvalidException for a longer number or more data, and when the request
   *     was answered already or its listener is closed
   */
  @MaySleep
  void accept(int qpn, int qkey, byte[] privateData);

  /**
   * Refuses.
   *
   * @param status 1 to 5 (IBA 12.11.2), for example {@link #REJECTED}
   * @param privateData at most 136 bytes
   * @throws ib.core.verbs.IbInvalidException for another status or more data, and when the request
   *     was answered already or its listener is closed
   */
  @MaySleep
  void reject(int status, byte[] privateData);
}
