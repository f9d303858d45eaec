package ib.engine.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.CqInit;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.port.HcaCore;
import ib.engine.qp.HcaConfig;
import ib.engine.run.Turns;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 4: when a peer was last heard is noted, and an idle device sleeps")
class RestTest {
  private final VirtualClock clock = new VirtualClock();
  private final Wire nowhere =
      new Wire() {
        @Override
        public void transmit(Packet packet, RunContext run) {}

        @Override
        public boolean segments() {
          return false;
        }
      };
  private final HcaCore hca =
      new HcaCore(
          HcaConfig.of(1, 2),
          List.of(nowhere),
          clock,
          RandomGenerator.getDefault(),
          (type, port) -> {});

  private static ObjectControl nobody() {
    return (ObjectControl)
        Proxy.newProxyInstance(
            RestTest.class.getClassLoader(),
            new Class<?>[] {ObjectControl.class},
            (proxy, method, args) -> method.getReturnType() == long.class ? 0L : null);
  }

  private int wakesIn(long hours) {
    int wakes = 0;
    long end = clock.nanoTime() + TimeUnit.HOURS.toNanos(hours);
    while (clock.nanoTime() < end) {
      clock.advance(Turns.restNs(hca.worker()));
      hca.worker().step();
      wakes++;
    }
    return wakes;
  }

  @Test
  void sleeps() {
    assertEquals(Long.MAX_VALUE, Turns.restNs(hca.worker()), "without queue pairs for ever");
    SoftCq cq = new SoftCq(nobody(), new CqInit(2), hca);
    QpInit init = new QpInit(QpType.UD, cq, new QpCap(1, 1, 1, 1, 0));
    SoftQp qp = new SoftQp(nobody(), init, new SoftPd(nobody(), hca));
    assertTrue(Turns.restNs(hca.worker()) <= TimeUnit.MILLISECONDS.toNanos(250));
    int wakes = wakesIn(1);
    assertTrue(wakes < 240, wakes + " times in an hour, at rest");
    qp.engine.count(HcaCounter.RCVD_PKTS);
    clock.advance(Turns.restNs(hca.worker()));
    hca.worker().step();
    long heard = clock.nanoTime();
    assertEquals(TimeUnit.MILLISECONDS.toNanos(250), Turns.restNs(hca.worker()), "in use again");
    assertEquals(heard, qp.engine.history.heardNs());
    wakesIn(1);
    assertEquals(heard, qp.engine.history.heardNs(), "and not heard since");
  }
}
