package ib.core.verbs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to create a queue pair: the {@code ib_qp_init_attr} of the 2004 mail, whole (S51).
 *
 * @param type the type
 * @param sendCq completions of sends
 * @param recvCq completions of receives
 * @param srq shared receive queue, or null for a receive queue of its own
 * @param cap capacities; the device may give more
 * @param sqSigType which sends complete with a work completion
 * @param rqSigType in the mail, gone from the header of December 2004: accepted and ignored, every
 *     receive is signaled
 * @param port for {@link QpType#SMI} and {@link QpType#GSI} the port, from 1; 0 for all others
 * @param eventHandler hears the events of the queue pair, or null (S47)
 * @param context given to the handler (S52)
 * @param createFlags bits of {@link QpCreateFlags}
 */
public record QpInit(
    QpType type,
    CompletionQueue sendCq,
    CompletionQueue recvCq,
    @Nullable SharedReceiveQueue srq,
    QpCap cap,
    SigType sqSigType,
    SigType rqSigType,
    int port,
    @Nullable EventHandler eventHandler,
    @Nullable Object context,
    int createFlags) {

  /**
   * A queue pair with a receive queue of its own and one completion queue for both directions.
   *
   * @param type the type
   * @param cq completions of sends and receives
   * @param cap capacities
   */
  public QpInit(QpType type, CompletionQueue cq, QpCap cap) {
    this(type, cq, cq, null, cap, SigType.REQ_WR, SigType.ALL_WR, 0, null, null, 0);
  }

  /**
   * Returns a copy of these attributes with another choice of signaling.
   *
   * @param sigType which sends complete with a work completion
   * @return the attributes
   */
  public QpInit withSigType(SigType sigType) {
    return with(recvCq, srq, sigType, port, createFlags);
  }

  /**
   * Returns a copy of these attributes with a shared receive queue.
   *
   * @param shared the queue
   * @return the attributes
   */
  public QpInit withSrq(@Nullable SharedReceiveQueue shared) {
    return with(recvCq, shared, sqSigType, port, createFlags);
  }

  /**
   * Returns a copy of these attributes with a completion queue of its own for receives.
   *
   * @param cq completions of receives
   * @return the attributes
   */
  public QpInit withRecvCq(CompletionQueue cq) {
    return with(cq, srq, sqSigType, port, createFlags);
  }

  /**
   * Returns a copy of these attributes with an event handler.
   *
   * @param handler the handler
   * @param handlerContext given to it
   * @return the attributes
   */
  public QpInit withEventHandler(@Nullable EventHandler handler, @Nullable Object handlerContext) {
    return new QpInit(
        type,
        sendCq,
        recvCq,
        srq,
        cap,
        sqSigType,
        rqSigType,
        port,
        handler,
        handlerContext,
        createFlags);
  }

  /**
   * Returns a copy of these attributes for a special queue pair.
   *
   * @param specialPort the port of QP0 or QP1
   * @return the attributes
   */
  public QpInit withPort(int specialPort) {
    return with(recvCq, srq, sqSigType, specialPort, createFlags);
  }

  /**
   * Returns a copy of these attributes with creation flags.
   *
   * @param flags bits of {@link QpCreateFlags}
   * @return the attributes
   */
  public QpInit withCreateFlags(int flags) {
    return with(recvCq, srq, sqSigType, port, flags);
  }

  private QpInit with(
      CompletionQueue receives,
      @Nullable SharedReceiveQueue shared,
      SigType sigType,
      int qpPort,
      int flags) {
    return new QpInit(
        type,
        sendCq,
        receives,
        shared,
        cap,
        sigType,
        rqSigType,
        qpPort,
        eventHandler,
        context,
        flags);
  }

  /** {@return these attributes as the driver gets them: with the checked event handler (S20)} */
  QpInit guarded(ObjectControl control) {
    return withEventHandler(control.guard(eventHandler), context);
  }

  void check(ProtectionDomain pd) {
    IbDevice device = pd.device();
    ObjectControl control = pd.control();
    control.given(type, "createQp", "type");
    control.given(sendCq, "createQp", "sendCq");
    control.given(recvCq, "createQp", "recvCq");
    control.given(cap, "createQp", "cap");
    control.given(sqSigType, "createQp", "sqSigType");
    device.requireCap(capability(), "createQp");
    DeviceAttr attrs = device.attrs();
    checkFlags(device);
    boolean special = type == QpType.SMI || type == QpType.GSI;
    range(device, "createQp", "port", port, special ? 1 : 0, special ? device.portCount() : 0);
    range(device, "createQp", "maxSendWr", cap.maxSendWr(), 0, attrs.limit(Limit.MAX_QP_WR));
    range(device, "createQp", "maxRecvWr", cap.maxRecvWr(), 0, attrs.limit(Limit.MAX_QP_WR));
    range(device, "createQp", "maxSendSge", cap.maxSendSge(), 0, attrs.limit(Limit.MAX_SGE));
    range(device, "createQp", "maxRecvSge", cap.maxRecvSge(), 0, attrs.limit(Limit.MAX_SGE));
    range(
        device,
        "createQp",
        "maxInlineData",
        cap.maxInlineData(),
        0,
        attrs.limit(Limit.MAX_INLINE_DATA));
  }

  private void checkFlags(IbDevice device) {
    boolean shared = srq != null && (createFlags & QpCreateFlags.COALESCED_RECEIVE) != 0;
    if ((createFlags & ~QpCreateFlags.ALL) != 0
        || shared
        || (createFlags != 0 && type != QpType.UD)) {
      throw new IbInvalidException(
          device.name() + ".createQp",
          "createFlags 0x" + Integer.toHexString(createFlags) + " of a queue pair of type " + type,
          "bits of QpCreateFlags, for UD; COALESCED_RECEIVE without a shared receive queue");
    }
    if ((createFlags & QpCreateFlags.IPOIB_UD_LSO) != 0) {
      device.requireCap(Cap.UD_TSO, "createQp");
    }
  }

  private Cap capability() {
    return switch (type) {
      case SMI -> Cap.SMI;
      case GSI -> Cap.GSI;
      case RC -> Cap.RC;
      case UC -> Cap.UC;
      case UD -> Cap.UD;
      case XRC_INI, XRC_TGT -> Cap.XRC;
    };
  }

  /** {@return the objects in use while the queue pair exists: PD, both CQs, SRQ; as in verbs.c} */
  IbObject[] uses(ProtectionDomain pd) {
    List<IbObject> uses = new ArrayList<>(List.of(pd, sendCq, recvCq));
    if (srq != null) {
      uses.add(srq);
    }
    return uses.toArray(IbObject[]::new);
  }

  static void range(IbDevice d, String method, String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IbInvalidException(
          d.name() + "." + method,
          what + " " + value,
          least == most ? String.valueOf(least) : least + " to " + most);
    }
  }
}
