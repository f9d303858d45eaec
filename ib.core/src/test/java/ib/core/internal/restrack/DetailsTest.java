package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.client.ResourceRecord;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.Objects7;
import ib.core.testing.Thrown;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbObject;
import ib.core.verbs.Mtu;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PollContext;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each value that introspection shows of each kind. */
@DisplayName("D11: what a record tells of an object")
class DetailsTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final ProtectionDomain first = device.allocPd(); // so that the others' is not number 0
  private final Objects7 o = Objects7.of(device);

  @AfterEach
  void close() {
    o.close();
    first.close();
    assertEquals(0, rig.objects().live());
    rig.close();
  }

  private Map<String, Object> details(IbObject object) {
    return rig.objects().resources().stream()
        .filter(r -> r.kind() == object.control().kind() && r.id() == object.id())
        .map(ResourceRecord::details)
        .findAny()
        .orElseThrow();
  }

  @Test
  @DisplayName("D11: memory, address handles and shared queues tell their keys and their domain")
  void keysAndDomain() {
    assertEquals(Map.of("users", 5), details(o.pd()));
    assertEquals(Map.of("type", "BASIC", "pdn", 1L, "users", 1), details(o.srq()));
    assertEquals(
        Map.of(
            "rkey", o.mr().rkey(),
            "lkey", o.mr().lkey(),
            "iova", o.mr().iova(),
            "mrlen", o.mr().length(),
            "pdn", 1L),
        details(o.mr()));
    assertEquals(Map.of("type", o.mw().type(), "rkey", o.mw().rkey(), "pdn", 1L), details(o.mw()));
    assertEquals(Map.of("pdn", 1L), details(o.ah()));
  }

  @Test
  @DisplayName("D11: a managed queue tells its poll context, a plain one has none")
  void pollContext() {
    CompletionQueue managed = device.allocCq(8, 0, PollContext.DIRECT);
    assertEquals(
        Map.of(
            "cqe",
            8,
            "users",
            0,
            "poll-ctx",
            PollContext.DIRECT.label(),
            "adaptive-moderation",
            "off"),
        details(managed));
    assertEquals(Map.of("cqe", 16, "users", 2, "adaptive-moderation", "off"), details(o.cq()));
    managed.close();
  }

  @Test
  @DisplayName("D11: a connected queue pair tells its port, peer and PSN once they are set")
  void connected() {
    QueuePair qp = o.pd().createQp(new QpInit(QpType.UC, o.cq(), Objects7.CAP));
    assertEquals(
        Map.of("lqpn", qp.qpn(), "type", QpType.UC, "state", QpState.RESET, "sq-psn", 0, "pdn", 1L),
        details(qp));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(Objects7.ADDRESS)
            .pathMtu(Mtu.MTU_1024)
            .destQpn(77)
            .rqPsn(5));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(9));
    assertEquals(
        Map.of(
            "port",
            1,
            "lqpn",
            qp.qpn(),
            "rqpn",
            77,
            "type",
            QpType.UC,
            "state",
            QpState.RTS,
            "sq-psn",
            9,
            "pdn",
            1L),
        details(qp));
    qp.close();
  }

  static Stream<Throwable> kinds() {
    return Thrown.kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("B9, D21: a driver that throws when asked is counted; its object can be closed")
  void driverThrows(Throwable what) {
    FakeCq cq = (FakeCq) device.allocCq(8, 0, PollContext.DIRECT);
    rig.fake()
        .faults()
        .at(
            "entries",
            () -> {
              throw Thrown.<RuntimeException>sneak(what);
            });
    assertEquals(Map.of("error", String.valueOf(what.getMessage())), details(cq));
    rig.fake().faults().clear();
    assertEquals(2, rig.contract().handlerExceptions(), "each of two queues was asked");
    cq.close(); // would wait for a reader that has not let go
  }

  @Test
  @DisplayName("D11: a record cannot be changed, and what is being made or closed has none")
  void hiddenAndFixed() {
    assertThrows(UnsupportedOperationException.class, () -> details(o.mr()).clear());
    assertThrows(UnsupportedOperationException.class, () -> details(o.ah()).clear());
    List<ResourceRecord> before = rig.objects().resources();
    var made = device.owner().handle().child(Kind.PD);
    assertEquals(before, rig.objects().resources());
    assertEquals(9, rig.objects().live());
    made.abort();
    rig.fake().faults().at("destroyAH", () -> assertEquals(7, rig.objects().resources().size()));
    o.ah().close();
    assertEquals(0, rig.contract().handlerExceptions());
    assertEquals(7, rig.objects().resources().size());
  }
}
