package ib.engine.port;

import ib.core.verbs.IbExistsException;
import ib.engine.qp.QpCore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** QP0 and QP1 of a port: at most one of each. */
final class SpecialPair {
  private final int port;
  private final @Nullable QpCore[] pair = new @Nullable QpCore[2];

  SpecialPair(int port) {
    this.port = port;
  }

  /** {@return the queue pair of number 0 or 1, or null} */
  @Nullable QpCore at(int qpn) {
    return pair[qpn];
  }

  /** Sets one that is not there yet. */
  synchronized void enter(int qpn, QpCore qp) {
    if (pair[qpn] != null) {
      throw new IbExistsException(
          "createQp", "QP" + qpn + " of port " + port + " exists", "close the other one first");
    }
    pair[qpn] = qp;
  }

  /** Takes one away; of one that was refused, {@link #enter} has set nothing. */
  @SuppressWarnings("ReferenceEquality") // this queue pair, no other one
  synchronized void leave(int qpn, QpCore qp) {
    if (pair[qpn] == qp) {
      pair[qpn] = null;
    }
  }

  void forEach(Consumer<QpCore> visitor) {
    for (QpCore qp : pair) {
      if (qp != null) {
        visitor.accept(qp);
      }
    }
  }
}
