package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.client.DeviceLease;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.driver.soft.Opensm;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Groups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("d1b5d340, I5: prints how long IPoIB waits for a restarted subnet manager")
@Timeout(600)
class RejoinTest {
  private static final int ASK_MS = 100; // ten attempts, one each 10 ms

  private final AtomicLong lostNs = new AtomicLong();
  private final AtomicLong memberNs = new AtomicLong();
  @TempDir Path dir;

  @BeforeEach
  void need() {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
  }

  /** A share in the broadcast group, which IPoIB has joined already: told when that is told. */
  private SaMembership watch(SaClient sa) {
    return sa.multicast()
        .join(
            new McMemberRecord()
                .set(Field.MGID, Groups.broadcast(0xffff, Groups.LINK_LOCAL))
                .set(Field.JOIN_STATE, McMemberRecord.FULL_MEMBER),
            (membership, state, why) ->
                (state == SaMembership.State.MEMBER ? memberNs : lostNs).set(System.nanoTime()));
  }

  /** Waits for the first answer to any question, and says when it came. */
  private static long ready(SaClient sa) {
    for (int i = 0; i < 1000; i++) {
      if (sa.get(new ClassPortInfo(), ASK_MS).handle((info, why) -> info != null).join()) {
        return System.nanoTime();
      }
    }
    throw new AssertionError("the subnet administrator does not answer");
  }

  private void report(String who, long readyNs) {
    long ms = (memberNs.get() - readyNs) / 1_000_000;
    IO.println(
        who + ": member again " + ms + " ms after its first answer to anybody (goal: 250 ms)");
  }

  @Test
  @DisplayName("OpenSM is killed and started again, then the built-in one takes over")
  void restart() throws Exception {
    int port = Opensm.freePort();
    try (ManagedSubnet subnet = new ManagedSubnet(2, BuiltinSm::new, name -> Backend.inJvm());
        IbsimDoor door = subnet.door(port)) {
      try (DeviceLease lease = subnet.core.core().lease("soft1", "test");
          SaClient sa = SaClient.open(lease.device(), 1);
          SaMembership membership = watch(sa)) {
        for (String run : new String[] {"first", "second"}) {
          lostNs.set(0);
          try (Opensm sm = Opensm.start(port, "soft0", Files.createDirectory(dir.resolve(run)))) {
            Lab.await(() -> lostNs.get() != 0, "the new one has the port");
            long readyNs = ready(sa);
            subnet.managedFrom(1);
            Lab.await(() -> memberNs.get() > lostNs.get(), "member again");
            report("OpenSM, " + run, readyNs);
            lostNs.set(0);
            sm.kill();
          }
          long readyNs = ready(sa); // who asks the dead one notices
          Lab.await(() -> lostNs.get() != 0 && memberNs.get() > lostNs.get(), "member again");
          report("built-in, " + run, readyNs);
          Lab.await(() -> door.clients().isEmpty(), "its end is seen");
        }
        Lab.await(() -> membership.state() == SaMembership.State.MEMBER, "and stays");
      }
    }
  }
}
