package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.mad.Mad;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.Smp;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.SaClient;
import ib.core.sa.SaException;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.sa.ServiceRecord;
import ib.core.verbs.WellKnown;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("IBA 13.5.2: who is asked says who answers instead")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RedirectTest {
  private static final int SERVICE = 0x1234;

  /** Ten attempts, each longer than the test may last: a question is never repeated. */
  private static final int TIMEOUT_MS = 600_000;

  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();

  /** The way to somebody, in the place of an answer. */
  private static Mad to(Mad asked, int lid) {
    ClassPortInfo info =
        new ClassPortInfo()
            .set(ClassPortInfo.Field.REDIRECT_LID, lid)
            .set(ClassPortInfo.Field.REDIRECT_QPN, WellKnown.QPN_GSI)
            .set(ClassPortInfo.Field.REDIRECT_QKEY, WellKnown.QP1_QKEY & 0xffff_ffffL)
            .set(ClassPortInfo.Field.REDIRECT_PKEY, 0xffff);
    return with(asked, SaStatus.REDIRECT.value(), info);
  }

  private static Mad with(Mad asked, int status, SaRecord<?, ?> record) {
    Mad answer = asked.response(status);
    record.write(answer.bytes(), answer.dataOffset());
    return answer;
  }

  /** Stands where the subnet administrator was, and sends everybody to a LID. */
  private MadConsumer redirector(Subnet subnet, int lid) {
    return (NodePort at, Datagram d) -> {
      Mad asked = Mad.of(d.mad);
      if (Smp.MGMT_CLASS.in(d.mad) != MgmtClass.SUBN_ADM || asked.header().response()) {
        return false;
      }
      sent.incrementAndGet();
      subnet.send(at, d.reply(to(asked, lid).bytes()));
      return true;
    };
  }

  private ServiceRecord ask(boolean again) {
    try (Lab lab = new Lab("soft0", "soft1")) {
      Subnet subnet = lab.fabric.subnetOf("soft0");
      NodePort seat = subnet.nodes().getFirst().port(0);
      int lid = lab.lease("soft1").port(1).lid();
      MadConsumer redirector = redirector(subnet, lid);
      synchronized (lab.fabric) {
        subnet.add(seat, redirector);
        subnet.foreignManager(seat, true);
        subnet.carry();
      }
      try (MadAgent other =
              MadAgent.register(
                  lab.lease("soft1"),
                  1,
                  MadRegistration.sa(MadMethod.GET),
                  (agent, r) -> {
                    answered.incrementAndGet();
                    ServiceRecord is =
                        new ServiceRecord().set(ServiceRecord.Field.SERVICE_ID, SERVICE);
                    agent.reply(r, again ? to(r.mad(), lid) : with(r.mad(), 0, is));
                  });
          SaClient sa = SaClient.open(lab.lease("soft0"), 1)) {
        assertEquals(1, other.port());
        return sa.get(new ServiceRecord(), TIMEOUT_MS).join();
      } finally {
        synchronized (lab.fabric) {
          subnet.remove(seat, redirector);
          subnet.foreignManager(seat, false);
          subnet.carry();
        }
      }
    }
  }

  @Test
  @DisplayName("the port that ClassPortInfo names is asked, and its answer is the answer")
  void followed() {
    assertEquals(SERVICE, ask(false).number(ServiceRecord.Field.SERVICE_ID));
    assertEquals(1, sent.get());
    assertEquals(1, answered.get());
  }

  @Test
  @DisplayName("once: who is sent on again has got no answer")
  void bounded() {
    CompletionException e = assertThrows(CompletionException.class, () -> ask(true));
    assertEquals(SaStatus.REDIRECT, assertInstanceOf(SaException.class, e.getCause()).status());
    assertEquals(1, answered.get());
  }
}
