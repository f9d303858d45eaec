package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B6: an address vector that can never work is refused where it is given")
class AddressVectorTest {
  private static final List<Gid> TO =
      List.of(
          Gid.parse("::ffff:127.0.0.1"),
          Gid.parse("::ffff:224.0.0.1"),
          Gid.parse("::1"),
          Gid.parse("fe80::1"),
          Gid.parse("ff02::1"));

  @Test
  @DisplayName("each source of the table to destinations of both kinds: createAh, modify, RTR")
  void families() {
    try (RxeHost host =
            RxeHost.options().device("rxe0", Map.of("address", "127.0.51.1,::1")).open();
        var pd = host.device("rxe0").allocPd();
        var cq = host.device("rxe0").createCq(new CqInit(1));
        var qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0)))) {
      IbDevice device = host.device("rxe0");
      qp.modify(new QpAttr().state(QpState.INIT).port(1).pkeyIndex(0).accessFlags(0));
      int refused = 0;
      for (int index = 0; index < 4; index++) {
        Gid source = device.gid(1, index);
        for (Gid to : TO) {
          AhAttr attr = AhAttr.ofGid(1, new GlobalRoute(to, 0, index, 64, 0));
          QpAttr rtr =
              new QpAttr().state(QpState.RTR).av(attr).pathMtu(Mtu.MTU_1024).destQpn(2).rqPsn(0);
          rtr.maxDestRdAtomic(0).minRnrTimer(12);
          boolean may = !source.equals(Gid.ZERO) && source.isIpv4Mapped() == to.isIpv4Mapped();
          if (may) {
            try (var ah = pd.createAh(attr)) {
              assertEquals(to, ah.query().grh().dgid());
            }
            qp.modify(rtr);
            qp.modify(new QpAttr().state(QpState.RESET));
            qp.modify(new QpAttr().state(QpState.INIT).port(1).pkeyIndex(0).accessFlags(0));
          } else {
            refused++;
            IbInvalidException why =
                assertThrows(IbInvalidException.class, () -> pd.createAh(attr));
            assertTrue(why.getMessage().contains(to.toString()), why.getMessage());
            assertTrue(why.getMessage().contains(source.toString()), why.getMessage());
            assertThrows(IbInvalidException.class, () -> qp.modify(rtr));
          }
        }
      }
      assertTrue(refused > 5 && refused < 20, "both happen: " + refused);
      assertThrows(IbInvalidException.class, () -> pd.createAh(AhAttr.ofLid(1, 3, 0)));
    }
  }
}
