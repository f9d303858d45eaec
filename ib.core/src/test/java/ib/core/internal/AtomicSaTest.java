package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.client.DeviceLease;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.hotplug.Limits;
import ib.core.sa.McMemberRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbContractException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S26: what waits for SA callbacks is refused in a callback that must not sleep")
class AtomicSaTest {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT, new Contract(true));
  private final FakeDevice device = new FakeDevice("fake0");

  @AfterEach
  void close() {
    midlayer.close();
    assertEquals(0, device.live());
  }

  /** Runs it in the handler of a completion queue; what it threw is thrown here. */
  private static void inHandler(DeviceLease lease, Runnable call) {
    FutureTask<?> task = new FutureTask<>(call, null);
    CountDownLatch returned = new CountDownLatch(1);
    try (FakeCq cq =
        (FakeCq)
            lease
                .device()
                .createCq(
                    new CqInit(
                        16,
                        (q, context) -> {
                          task.run();
                          returned.countDown();
                        },
                        null))) {
      cq.wake();
      Wait.on(returned);
    }
    Wait.end(task);
  }

  @Test
  @DisplayName("S26: the close of a session and of a membership: refused there, done elsewhere")
  void closes() {
    midlayer.register(device);
    try (DeviceLease lease = midlayer.lease("fake0", "test");
        SaClient sa = SaClient.open(lease.device(), 1);
        SaMembership membership =
            sa.multicast()
                .join(
                    new McMemberRecord()
                        .set(McMemberRecord.Field.MGID, Gid.parse("ff12:401b:ffff::ffff:ffff"))
                        .set(McMemberRecord.Field.JOIN_STATE, 1),
                    (m, state, why) -> {})) {
      inHandler(lease, () -> assertThrows(IbContractException.class, membership::close));
      inHandler(lease, () -> assertThrows(IbContractException.class, sa::close));
      assertEquals(
          List.of("S26", "S26"), midlayer.violations().stream().map(Violation::clause).toList());
      assertEquals(SaMembership.State.JOINING, membership.state(), "nothing has happened");
    }
  }
}
