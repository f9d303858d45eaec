package ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpAttrMask;
import ib.core.verbs.QpState;
import ib.core.verbs.QpTransitions;
import ib.core.verbs.QpType;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("K22: the steps of a queue pair, by its type")
class QpStepsTest {
  private static final CmPath PATH =
      new CmPath(
          AhAttr.ofLid(1, 2, 0),
          Gid.linkLocal(1),
          Gid.linkLocal(2),
          1,
          Mtu.MTU_1024,
          12,
          0xffff,
          0);
  private static final CmEndpoint PEER = new CmEndpoint(77, 0x222222, 3, 4, 5, false);

  /** {@return what a step says, and checks that it is what the type needs and allows} */
  private static Set<QpAttrMask> checked(QpType type, QpState from, QpAttr attr) {
    QpTransitions.check(type, from, attr.state(), attr);
    EnumSet<QpAttrMask> said = EnumSet.copyOf(QpAttrMask.of(attr.mask()));
    said.remove(QpAttrMask.STATE);
    return said;
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "XRC_INI", "XRC_TGT"})
  @DisplayName("each says what the transitions of its type require, and nothing more (IBA 10.3.1)")
  void complete(QpType type) {
    CmEndpoint mine = CmEndpoint.of(55, 0x111111).type(type);
    QpAttr init = QpSteps.init(PATH, 0);
    QpAttr rtr = QpSteps.rtr(PATH, mine, PEER);
    QpAttr rts = QpSteps.rts(mine, PEER, CmTerms.DEFAULT);
    assertEquals(
        QpTransitions.required(type, QpState.RESET, QpState.INIT),
        checked(type, QpState.RESET, init));
    assertEquals(
        QpTransitions.required(type, QpState.INIT, QpState.RTR), checked(type, QpState.INIT, rtr));
    assertEquals(
        QpTransitions.required(type, QpState.RTR, QpState.RTS), checked(type, QpState.RTR, rts));
    assertEquals(0x111111, rtr.rqPsn(), "the peer begins with what this side has said");
    assertEquals(0x222222, rts.sqPsn());
    assertEquals(77, rtr.destQpn());
  }

  @Test
  @DisplayName("a queue pair of type UC refuses the steps of RC")
  void refused() {
    QpAttr rtr = QpSteps.rtr(PATH, CmEndpoint.of(55, 1), PEER);
    assertThrows(
        IbInvalidException.class,
        () -> QpTransitions.check(QpType.UC, QpState.INIT, QpState.RTR, rtr));
  }
}
