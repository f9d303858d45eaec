package ib.cm.internal.machine;

import static ib.core.mad.cm.CmField.REP_EECN;
import static ib.core.mad.cm.CmField.REP_QPN;
import static ib.core.mad.cm.CmField.REQ_EXT_TRANSPORT;
import static ib.core.mad.cm.CmField.REQ_QPN;
import static ib.core.mad.cm.CmField.REQ_TRANSPORT;

import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.Cap;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import org.jspecify.annotations.Nullable;

/** The transports of connections: how a REQ says each, and the queue pairs at both ends. */
public enum Transport {
  /** Reliable connection. */
  RC(0, 0, QpType.RC, QpType.RC, Cap.RC),
  /** Unreliable connection. */
  UC(1, 0, QpType.UC, QpType.UC, Cap.UC),
  /** Extended reliable connection (IBA annex A14): from an initiator to a target. */
  XRC(3, 1, QpType.XRC_INI, QpType.XRC_TGT, Cap.XRC);

  private static final int EXTENDED = 3;

  private final int value;
  private final int extension;
  private final QpType active;
  private final QpType passive;
  private final Cap cap;

  Transport(int value, int extension, QpType active, QpType passive, Cap cap) {
    this.value = value;
    this.extension = extension;
    this.active = active;
    this.passive = passive;
    this.cap = cap;
  }

  /** {@return the transport that a REQ asks for; null for another one} */
  static @Nullable Transport of(CmMessage req) {
    int wanted = req.value(REQ_TRANSPORT);
    for (Transport each : values()) {
      boolean extended = wanted != EXTENDED || req.value(REQ_EXT_TRANSPORT) == each.extension;
      if (wanted == each.value && extended) {
        return each;
      }
    }
    return null;
  }

  /**
   * {@return the transport of an active side's queue pair}
   *
   * @throws IbInvalidException for a type that does not connect
   */
  static Transport of(QpType active) {
    for (Transport each : values()) {
      if (each.active == active) {
        return each;
      }
    }
    throw new IbInvalidException(
        "connect", "a queue pair of type " + active, "RC, UC or XRC_INI of an active side");
  }

  /** {@return the type of the queue pair that sends the REQ} */
  public QpType active() {
    return active;
  }

  /** {@return the type of the queue pair that sends the REP} */
  public QpType passive() {
    return passive;
  }

  /**
   * Checks the type of a passive side's queue pair.
   *
   * @throws IbInvalidException for another one than the transport has there
   */
  void checkPassive(String what, QpType type) {
    if (type != passive) {
      throw new IbInvalidException(what, "a queue pair of type " + type, passive.name());
    }
  }

  /** {@return what a device must have for it} */
  public Cap cap() {
    return cap;
  }

  /** Says it in a REQ. */
  void write(CmMessage req) {
    req.set(REQ_TRANSPORT, value).set(REQ_EXT_TRANSPORT, extension);
  }

  /** {@return where a message has the number of its sender's queue pair} */
  CmField qpn(CmKind kind) {
    return kind == CmKind.REQ ? REQ_QPN : this == XRC ? REP_EECN : REP_QPN;
  }
}
