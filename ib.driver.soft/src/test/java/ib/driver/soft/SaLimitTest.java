package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.mad.MadMethod;
import ib.core.sa.InformInfo;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.sa.ServiceRecord;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Issue 5: the records that clients have the subnet administrator keep have a limit")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SaLimitTest {
  private static final int MAX_RECORDS = 4096;

  private final Fabric fabric = BuiltinSm.newFabric();
  private FabricPort port;

  @BeforeEach
  void plug() {
    port = fabric.plug("one", 0x0200_0000_0000_0100L, 1, "sw").getFirst();
    port.plugCable();
  }

  @AfterEach
  void unplug() {
    port.close();
  }

  private static int set(SaProbe probe, SaRecord<?, ?> record) {
    return probe.ask(MadMethod.SET, record).header().status();
  }

  private static ServiceRecord service(long id) {
    return new ServiceRecord()
        .set(ServiceRecord.Field.SERVICE_ID, id)
        .set(ServiceRecord.Field.SERVICE_LEASE, 0xffff_ffffL);
  }

  private static InformInfo trap(int number, int subscribe) {
    return new InformInfo()
        .set(InformInfo.Field.SUBSCRIBE, subscribe)
        .set(InformInfo.Field.TRAP_NUMBER, number);
  }

  @Test
  @DisplayName("Issue 5 services: 0x0100 for one more, room again when one is deleted")
  void services() {
    try (SaProbe probe = new SaProbe(fabric, port)) {
      for (int i = 1; i <= MAX_RECORDS; i++) {
        assertEquals(0, set(probe, service(i)));
      }
      assertEquals(SaStatus.NO_RESOURCES.value(), set(probe, service(MAX_RECORDS + 1)));
      assertEquals(0, set(probe, service(MAX_RECORDS)), "one that is there is renewed");
      assertEquals(0, probe.ask(MadMethod.DELETE, service(1)).header().status());
      assertEquals(0, set(probe, service(MAX_RECORDS + 1)));
    }
  }

  @Test
  @DisplayName("Issue 5 subscriptions: 0x0100 for one more, room again when one is given back")
  void subscriptions() {
    try (SaProbe probe = new SaProbe(fabric, port)) {
      for (int i = 1; i <= MAX_RECORDS; i++) {
        assertEquals(0, set(probe, trap(i, 1)));
      }
      assertEquals(SaStatus.NO_RESOURCES.value(), set(probe, trap(MAX_RECORDS + 1, 1)));
      assertEquals(0, set(probe, trap(1, 0)));
      assertEquals(0, set(probe, trap(MAX_RECORDS + 1, 1)));
    }
  }
}
