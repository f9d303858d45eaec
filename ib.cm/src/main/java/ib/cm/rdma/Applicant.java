package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmDatagramRequest;
import ib.cm.CmEndpoint;
import ib.core.mad.cm.CmReason;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbNotSupportedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The peer behind a request: what {@code ib.cm} has for answering it. */
sealed interface Applicant {
  /** {@return the connection that the peer wants; null when it asks for a datagram service} */
  @Nullable CmConnection connection();

  /** {@return how many bytes a rejection carries} */
  int maxRejectBytes();

  /**
   * Answers with this side's queue pair.
   *
   * @throws IbInvalidException when the peer has given up, or for too much data
   */
  void accept(CmEndpoint mine, byte[] data);

  /**
   * Says that the program does not want it.
   *
   * @throws IbInvalidException when the peer has given up
   */
  void reject(byte[] data);

  /** Says so without data; does nothing when the peer has given up. */
  void refuse();

  /** Says that this side cannot accept it; does nothing when the peer has given up. */
  void failed(Throwable why);

  /**
   * Gives a handshake up because of this side: a lack of memory is not the program's will (A16).
   */
  static void giveUp(CmConnection by, Throwable why) {
    if (why instanceof IbNoMemoryException || why instanceof OutOfMemoryError) {
      reject(by, CmReason.NO_RESOURCES);
    }
    by.end(); // unless it is rejected: a REJ with reason 28
  }

  private static void reject(CmConnection by, CmReason reason) {
    try {
      by.reject(reason.code(), new byte[0], new byte[0]);
    } catch (IbNotSupportedException | IbInvalidException e) { // the host's; or the peer has gone
      LoggerFactory.getLogger(Applicant.class).debug("{} is not rejected: {}", by, reason, e);
    }
  }

  /** Says that the program has no queue pair of the peer's type. */
  void otherType();

  /**
   * A peer that has sent a REQ.
   *
   * @param connection the connection, not accepted yet
   */
  record ForConnection(CmConnection connection) implements Applicant {
    private static final byte[] NO_INFO = {};

    @Override
    public int maxRejectBytes() {
      return 148;
    }

    @Override
    public void accept(CmEndpoint mine, byte[] data) {
      connection.accept(mine, data);
    }

    @Override
    public void reject(byte[] data) {
      connection.reject(CmConnection.CONSUMER_REJECT, NO_INFO, data);
    }

    @Override
    public void refuse() {
      connection.end(); // a REJ with reason 28
    }

    @Override
    public void failed(Throwable why) {
      giveUp(connection, why);
    }

    @Override
    public void otherType() {
      Applicant.reject(connection, CmReason.INVALID_TRANSPORT_TYPE);
    }
  }

  /**
   * A peer that has sent a SIDR_REQ.
   *
   * @param question the question, not answered yet
   * @param answered called when the program answers it
   */
  record ForDatagrams(CmDatagramRequest question, Runnable answered) implements Applicant {
    @Override
    public @Nullable CmConnection connection() {
      return null;
    }

    @Override
    public int maxRejectBytes() {
      return 136;
    }

    @Override
    public void accept(CmEndpoint mine, byte[] data) {
      accept(mine.qpn(), PortSpace.DATAGRAM_QKEY, data);
    }

    /**
     * Answers with any queue pair.
     *
     * @throws IbInvalidException when the listener is closed, or for too much data
     */
    void accept(int qpn, int qkey, byte[] data) {
      answered.run();
      question.accept(qpn, qkey, data);
    }

    @Override
    public void reject(byte[] data) {
      answered.run();
      question.reject(CmDatagramRequest.REJECTED, data);
    }

    @Override
    public void refuse() {
      try {
        reject(new byte[0]);
      } catch (IbInvalidException e) { // refused already, because its listener is closed
        LoggerFactory.getLogger(Applicant.class).debug("{} is not refused", question, e);
      }
    }

    @Override
    public void failed(Throwable why) {
      refuse();
    }

    @Override
    public void otherType() {
      refuse(); // a question does not say a type
    }
  }
}
