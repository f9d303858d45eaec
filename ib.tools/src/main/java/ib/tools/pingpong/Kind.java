package ib.tools.pingpong;

import ib.core.verbs.QpType;
import java.util.Locale;

/** The four programs. */
public enum Kind {
  /** Reliable connection. */
  RC(QpType.RC),
  /** Unreliable connection. */
  UC(QpType.UC),
  /** Datagrams. */
  UD(QpType.UD),
  /** Many reliable connections that share one receive queue. */
  SRQ(QpType.RC);

  final QpType type;

  Kind(QpType type) {
    this.type = type;
  }

  /** {@return the command's name} */
  public String program() {
    return "ibv_" + name().toLowerCase(Locale.ROOT) + "_pingpong";
  }

  /** {@return how many records each end sends, used or not (MAX_QP of srq_pingpong.c)} */
  int records() {
    return this == SRQ ? 256 : 1;
  }
}
