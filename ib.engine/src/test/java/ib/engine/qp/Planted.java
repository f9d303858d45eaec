package ib.engine.qp;

import ib.core.verbs.Access;
import ib.engine.mr.Key;
import ib.engine.mr.RemoteAtomic;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;

/** Code of deliberate bugs of the simulator that need more than a few instructions. */
public final class Planted {
  private Planted() {}

  /** A duplicate of an atomic is executed, as if it were new. */
  public static void again(QpCore qp, Packet p) {
    Key key = qp.hca.rkeys().find(p.rkey);
    if (key != null) {
      long v =
          key.admit(p.rkey, qp.domain(), qp, Access.REMOTE_ATOMIC, p.remoteAddress, Long.BYTES);
      RemoteAtomic.Op op =
          p.opcode == Opcode.FETCH_ADD ? RemoteAtomic.Op.FETCH_ADD : RemoteAtomic.Op.COMPARE_SWAP;
      new RemoteAtomic().execute(op, key, v, p.remoteAddress, p.swapAdd, p.compare);
    }
  }
}
