package ib.engine.control;

import ib.core.verbs.AltPath;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Limit;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpState;
import ib.engine.link.Link;
import ib.engine.link.Refusals;
import ib.engine.qp.Hca;
import ib.engine.qp.QpCore;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the attributes of a modify before any of them is changed (B5). Only the thread that
 * holds the queue pair's claim may call in.
 */
final class ModifyCheck {
  private ModifyCheck() {}

  /** {@return the route to the address, null when the attributes have none} */
  static @Nullable Route check(QpCore qp, QpAttr a, QpState from, QpState to) {
    Hca hca = qp.hca;
    boolean special = qp.specialNumber() >= 0;
    int portNumber =
        special
            ? qp.init.port()
            : a.has(QpAttrMask.PORT) ? a.port() : from == QpState.RESET ? 0 : -1;
    Link port =
        portNumber >= 0 && to != QpState.RESET && to != QpState.ERR ? hca.port(portNumber) : null;
    if (port == null && from != QpState.RESET && to != QpState.RESET) {
      port = qp.port();
    }
    if (a.has(QpAttrMask.PKEY_INDEX) && port != null) {
      port.tables().checkedPkey(a.pkeyIndex());
    }
    range("maxRdAtomic", a.maxRdAtomic(), hca.config().limit(Limit.MAX_QP_INIT_RD_ATOM));
    range("maxDestRdAtomic", a.maxDestRdAtomic(), hca.config().limit(Limit.MAX_QP_RD_ATOM));
    if (a.has(QpAttrMask.PATH_MTU) && port != null) {
      Mtu most = port.mtu();
      if (a.pathMtu().compareTo(most) > 0) {
        throw new IbInvalidException(
            "modify: path MTU " + a.pathMtu(), "larger than the port's", "at most " + most);
      }
    }
    AltPath alt = a.has(QpAttrMask.ALT_PATH) ? a.altPath() : null;
    if (alt != null) {
      hca.port(alt.port()).tables().checkedPkey(alt.pkeyIndex());
      hca.port(alt.av().port()).route(alt.av());
    }
    if (!a.has(QpAttrMask.AV) || port == null || a.av() == null) {
      return null;
    }
    if (a.av().port() != port.number()) {
      throw Refusals.range("port of the address", a.av().port(), port.number(), port.number());
    }
    return port.route(a.av());
  }

  private static void range(String what, long value, long most) {
    if (value > most) {
      throw Refusals.range(what, value, 0, most);
    }
  }
}
