package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.QpState;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.HexFormat;

/**
 * The events of Java Flight Recorder that a driver tells of: {@code ib.Post}, {@code
 * ib.Completion}, {@code ib.Retransmission} and {@code ib.QpState}. All are off until a recording
 * enables them, and then every method but the test of one boolean does nothing: they belong into
 * the data path. A recording allocates, on the thread that calls.
 */
public final class Trace {
  private static final PostEvent POST = new PostEvent();
  private static final CompletionEvent COMPLETION = new CompletionEvent();
  private static final RetransmissionEvent RETRANSMISSION = new RetransmissionEvent();
  private static final QpStateEvent STATE = new QpStateEvent();

  private Trace() {}

  /** {@return whether {@link #post} would record} */
  @AnyContext
  public static boolean posts() {
    return POST.isEnabled();
  }

  /**
   * A work request was accepted.
   *
   * @param nodeGuid of the device
   * @param qpn number of the queue pair, 24 bits
   * @param send whether it went to the send queue
   * @param wrId its work request id
   * @param opcode the number of its {@link WrOpcode}; ignored for a receive
   */
  @AnyContext
  public static void post(long nodeGuid, int qpn, boolean send, long wrId, int opcode) {
    if (POST.isEnabled()) {
      PostEvent e = new PostEvent();
      e.device = guid(nodeGuid);
      e.qpn = qpn;
      e.send = send;
      e.wrId = wrId;
      e.opcode = send ? WrOpcode.of(opcode).name() : "RECV";
      e.commit();
    }
  }

  /**
   * A work request has completed.
   *
   * @param nodeGuid of the device
   * @param qpn number of the queue pair, 24 bits
   * @param wrId its work request id
   * @param status how
   * @param opcode what it was
   * @param bytes transferred, where the completion tells
   */
  @AnyContext
  public static void completion(
      long nodeGuid, int qpn, long wrId, WcStatus status, WcOpcode opcode, int bytes) {
    if (COMPLETION.isEnabled()) {
      CompletionEvent e = new CompletionEvent();
      e.device = guid(nodeGuid);
      e.qpn = qpn;
      e.wrId = wrId;
      e.status = status.name();
      e.opcode = opcode.name();
      e.bytes = Integer.toUnsignedLong(bytes);
      e.commit();
    }
  }

  /**
   * A queue pair sends again.
   *
   * @param nodeGuid of the device
   * @param qpn number of the queue pair, 24 bits
   * @param psn the first sequence number that is sent again, 24 bits
   */
  @AnyContext
  public static void retransmission(long nodeGuid, int qpn, int psn) {
    if (RETRANSMISSION.isEnabled()) {
      RetransmissionEvent e = new RetransmissionEvent();
      e.device = guid(nodeGuid);
      e.qpn = qpn;
      e.psn = psn;
      e.commit();
    }
  }

  /**
   * A queue pair has changed its state.
   *
   * @param nodeGuid of the device
   * @param qpn number of the queue pair, 24 bits
   * @param from the state before
   * @param to the state now
   * @param cause why, in a word or two
   */
  @AnyContext
  public static void state(long nodeGuid, int qpn, QpState from, QpState to, String cause) {
    if (STATE.isEnabled()) {
      QpStateEvent e = new QpStateEvent();
      e.device = guid(nodeGuid);
      e.qpn = qpn;
      e.from = from.name();
      e.to = to.name();
      e.cause = cause;
      e.commit();
    }
  }

  private static String guid(long nodeGuid) {
    return HexFormat.of().toHexDigits(nodeGuid);
  }
}
