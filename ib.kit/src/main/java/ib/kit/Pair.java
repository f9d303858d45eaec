package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import org.junit.jupiter.api.Assertions;

/** Two ends, connected or, for datagrams, aware of each other. */
final class Pair {
  final End a;
  final End b;

  Pair(End a, End b) {
    this.a = a;
    this.b = b;
  }

  Pair connect(Bench bench) {
    up(a, b, bench);
    up(b, a, bench);
    return this;
  }

  static void up(End from, End to, Bench bench) {
    from.init(from.shape.access());
    from.rtr(bench.path(from.device, to.device), to.qp.qpn());
    from.rts();
  }

  boolean datagram() {
    return a.shape.type() == QpType.UD;
  }

  /** Sets the address that a datagram from a to b needs. */
  SendWr aim(SendWr wr, Trial trial) {
    if (!datagram()) {
      return wr;
    }
    AddressHandle ah = a.ah(trial.bench.path(a.device, b.device));
    return wr.ah(ah).remoteQpn(b.qp.qpn()).remoteQkey(End.QKEY);
  }

  /** Checks the connection: a small send from a to b arrives, and completes on both sides. */
  void ping(Trial trial) {
    int grh = datagram() ? Transfer.GRH : 0;
    b.receive(0x7001, 0, 8 + grh);
    a.send(aim(a.wr(WrOpcode.SEND, 0x7002, 0, 8), trial));
    WorkCompletion wc = Await.success(b.recvCq, 0x7001);
    Assertions.assertEquals(8 + grh, wc.byteLen(), wc::toString);
    Await.success(a.sendCq, 0x7002);
  }
}
