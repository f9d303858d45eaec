package ib.core.internal.sa;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.client.DeviceLease;
import ib.core.sa.McMemberRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMembership.State;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.PortState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Groups whose attributes are those of another group of the port")
final class LikeAnotherTest {
  private static final Gid LEADER = Gid.parse("ff12:401b:ffff::7");
  private static final Gid FOLLOWER = Gid.parse("ff12:401b:ffff::8");

  private final StandaloneCore standalone = StandaloneCore.create();
  private final FakeDevice device = new FakeDevice("fake0");
  private DeviceLease lease;
  private FakeSa server;
  private SaClient sa;

  @BeforeEach
  void open() {
    device
        .ports()
        .attr(1, device.ops().queryPort(1).toBuilder().state(PortState.ACTIVE).smLid(1).build());
    standalone.drivers().register(device);
    lease = standalone.core().lease("fake0", "test");
    server = new FakeSa(lease.device());
    sa = SaClient.open(lease.device(), 1);
  }

  @AfterEach
  void close() {
    sa.close();
    server.close();
    lease.close();
    standalone.close();
  }

  private static McMemberRecord join(Gid group, int state) {
    return new McMemberRecord()
        .set(McMemberRecord.Field.MGID, group)
        .set(McMemberRecord.Field.JOIN_STATE, state);
  }

  @Test
  @DisplayName("findings F: a group that is like another waits for it, and has its Q_Key of today")
  void joinsLikeAnother() {
    List<State> b = new CopyOnWriteArrayList<>();
    SaMembership follower =
        sa.multicast().join(join(FOLLOWER, 4), LEADER, (m, state, why) -> b.add(state));
    List<State> a = new CopyOnWriteArrayList<>();
    server.qkey = 0x11;
    SaMembership leader = sa.multicast().join(join(LEADER, 1), (m, state, why) -> a.add(state));
    Wait.until(() -> b.equals(List.of(State.MEMBER)));
    assertEquals(0x11, follower.record().value(McMemberRecord.Field.QKEY));
    server.qkey = 0x22; // of another manager
    device.dispatchEvent(EventType.CLIENT_REREGISTER, 1);
    List<State> rejoined = List.of(State.MEMBER, State.LOST, State.MEMBER);
    Wait.until(() -> a.equals(rejoined) && b.equals(rejoined));
    assertEquals(0x22, follower.record().value(McMemberRecord.Field.QKEY));
    List<String> joins = List.of("2 group 1", "2 group 4");
    assertEquals(Stream.of(joins, joins).flatMap(List::stream).toList(), List.copyOf(server.asked));
    follower.close();
    leader.close();
  }
}
