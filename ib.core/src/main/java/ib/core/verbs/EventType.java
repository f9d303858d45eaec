package ib.core.verbs;

/** Asynchronous events; numbers of {@code ibv_event_type}, and from 1000 on five of our own. */
public enum EventType implements Numbered {
  /** A CQ overran or failed; it gives no more completions. */
  CQ_ERR(0, Affiliation.CQ),
  /** A QP failed and is in the error state. */
  QP_FATAL(1, Affiliation.QP),
  /** The responder of a QP met an invalid request. */
  QP_REQ_ERR(2, Affiliation.QP),
  /** The responder of a QP met an access violation. */
  QP_ACCESS_ERR(3, Affiliation.QP),
  /** A message arrived at a QP in RTR: the peer is ready. */
  COMM_EST(4, Affiliation.QP),
  /** The send queue is drained (state SQD). */
  SQ_DRAINED(5, Affiliation.QP),
  /** The QP has migrated to its alternate path. */
  PATH_MIG(6, Affiliation.QP),
  /** The migration failed. */
  PATH_MIG_ERR(7, Affiliation.QP),
  /** The device failed. */
  DEVICE_FATAL(8, Affiliation.DEVICE),
  /** The port became active. */
  PORT_ACTIVE(9, Affiliation.PORT),
  /** The port is no longer active. */
  PORT_ERR(10, Affiliation.PORT),
  /** The subnet manager changed the LID. */
  LID_CHANGE(11, Affiliation.PORT),
  /** The P_Key table changed. */
  PKEY_CHANGE(12, Affiliation.PORT),
  /** Another subnet manager took over. */
  SM_CHANGE(13, Affiliation.PORT),
  /** An SRQ failed. */
  SRQ_ERR(14, Affiliation.SRQ),
  /** Fewer receives than the limit are left in an SRQ. */
  SRQ_LIMIT_REACHED(15, Affiliation.SRQ),
  /** A QP in the error state takes no more from its SRQ. */
  QP_LAST_WQE_REACHED(16, Affiliation.QP),
  /** The subnet manager asks for all subscriptions anew. */
  CLIENT_REREGISTER(17, Affiliation.PORT),
  /** The GID table changed. */
  GID_CHANGE(18, Affiliation.PORT),
  /** A receive work queue failed. */
  WQ_FATAL(19, Affiliation.WQ),
  /** The speed of the device changed. */
  DEVICE_SPEED_CHANGE(20, Affiliation.DEVICE),
  /** Events were lost since a queue was full: read the state anew. Ours, not in C. */
  EVENT_OVERFLOW(1000, Affiliation.DEVICE),
  /** The driver begins to reset the device. Ours, not in C. */
  RESET_BEGIN(1001, Affiliation.DEVICE),
  /** The reset of the device is over. Ours, not in C. */
  RESET_END(1002, Affiliation.DEVICE),
  /**
   * A source of packets has guessed keys or numbers and is not heard by this port for a while.
   * Ours, not in C.
   */
  SOURCE_MUTED(1003, Affiliation.PORT),
  /** MTU, width or speed of an active port have changed. Ours, not in C. */
  PORT_CHANGE(1004, Affiliation.PORT);

  /** The kind of object that an event is about. */
  public enum Affiliation {
    /** A completion queue. */
    CQ,
    /** A queue pair. */
    QP,
    /** A shared receive queue. */
    SRQ,
    /** A receive work queue. */
    WQ,
    /** A port: the event carries its number. */
    PORT,
    /** The whole device. */
    DEVICE
  }

  private final int value;
  private final Affiliation affiliation;

  EventType(int value, Affiliation affiliation) {
    this.value = value;
    this.affiliation = affiliation;
  }

  /** {@return the number in {@code ibv_event_type}, or 1000 and more for ours} */
  @Override
  public int value() {
    return value;
  }

  /** {@return what the event is about} */
  public Affiliation affiliation() {
    return affiliation;
  }

  /** {@return whether it is about a port or the device, not about an object of a consumer} */
  public boolean unaffiliated() {
    return affiliation == Affiliation.PORT || affiliation == Affiliation.DEVICE;
  }

  /** {@return the C name, for example {@code IBV_EVENT_PORT_ACTIVE}} */
  public String label() {
    return "IBV_EVENT_" + name();
  }

  /**
   * The constant of a number. Any context.
   *
   * @param value the number, ibv_event_type 0 to 20 or 1000 to 1002
   * @return the constant
   * @throws IbInvalidException if no constant has that number
   */
  public static EventType of(int value) {
    return Numbered.of(values(), value, "use 0 to 20 or 1000 to 1002");
  }
}
