package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The refresher alone; the test is its dispatcher. */
@DisplayName("B13: which refreshes an event brings, and when one that failed is tried again")
class CacheRefresherTest {
  private static final long RETRY = EventConfig.DEFAULT.refreshRetryNs();
  private static final long NEVER = Long.MAX_VALUE;

  private final Rig rig = new Rig();
  private final FakeDevice device = rig.device;
  private final PortCaches caches = new PortCaches(device);
  private final EventCounters counters = new EventCounters();
  private final CacheRefresher refresher = new CacheRefresher(rig.hub, counters, caches);

  @BeforeEach
  void load() {
    device.ports().numbered = true;
    caches.refresh(1);
    caches.refresh(2);
  }

  private long now() {
    return rig.clock.nanoTime();
  }

  private int gids() {
    return device.faults().hits("queryGid");
  }

  private int pkeys() {
    return device.faults().hits("queryPkey");
  }

  private int ports() {
    return device.faults().hits("queryPort");
  }

  @Test
  @DisplayName("B13: an event of the last port refreshes that port and no other")
  void lastPort() {
    int before = ports();
    refresher.before(EventType.LID_CHANGE, 2);
    assertEquals(before + 1, ports());
    assertEquals(List.of(), rig.reports.troubles);
  }

  @Test
  @DisplayName("S12: an event of port 0 or past the last is reported, and refreshes all ports")
  void noSuchPort() {
    int before = ports();
    refresher.before(EventType.LID_CHANGE, 0);
    assertEquals(before + 2, ports());
    refresher.before(EventType.LID_CHANGE, 3);
    assertEquals(before + 4, ports());
    assertEquals(
        List.of(
            "fake0: LID_CHANGE of port 0, which is not there",
            "fake0: LID_CHANGE of port 3, which is not there"),
        rig.reports.troubles);
  }

  @Test
  @DisplayName("B13: a device that failed is not queried")
  void fatal() {
    int before = ports();
    refresher.before(EventType.DEVICE_FATAL, 0);
    assertEquals(before, ports());
  }

  @Test
  @DisplayName("B13: a table is read in the refresh for its own event, and not in the next one")
  void once() {
    int gids = gids();
    int pkeys = pkeys();
    refresher.before(EventType.GID_CHANGE, 1);
    assertEquals(gids + 8, gids());
    assertEquals(pkeys, pkeys());
    refresher.before(EventType.PKEY_CHANGE, 1);
    assertEquals(gids + 8, gids());
    assertEquals(pkeys + 8, pkeys());
    refresher.before(EventType.SM_CHANGE, 1);
    assertEquals(gids + 8, gids());
    assertEquals(pkeys + 8, pkeys());
  }

  @Test
  @DisplayName("S12: what a failed refresh was to read is read by the next event of its port")
  void kept() {
    device.faults().fail("queryPort");
    refresher.before(EventType.GID_CHANGE, 1);
    refresher.before(EventType.PKEY_CHANGE, 1);
    assertEquals(2, counters.stats().refreshErrors());
    device.faults().clear();
    int gids = gids();
    int pkeys = pkeys();
    refresher.before(EventType.SM_CHANGE, 1);
    assertEquals(gids + 8, gids());
    assertEquals(pkeys + 8, pkeys());
  }

  @Test
  @DisplayName("S12: a failed refresh is due again after the retry time, and not before; then not")
  void due() {
    assertEquals(NEVER, refresher.remainingNs(now()));
    device.faults().fail("queryPort");
    refresher.before(EventType.LID_CHANGE, 1);
    assertEquals(RETRY, refresher.remainingNs(now()));
    assertTrue(rig.reports.tellsOf("cannot refresh the cache of port 1"));
    int before = ports();
    rig.clock.advance(RETRY - 1);
    refresher.retry(now());
    assertEquals(before, ports(), "too early");
    rig.clock.advance(1);
    refresher.retry(now());
    assertEquals(before + 1, ports());
    assertEquals(RETRY, refresher.remainingNs(now()), "it failed once more");
    device.faults().clear();
    device.ports().gid(1, 1, Gid.linkLocal(1));
    rig.clock.advance(RETRY + 1);
    refresher.retry(now());
    assertEquals(before + 2, ports());
    assertEquals(Gid.linkLocal(1), caches.gid(1, 1));
    assertEquals(NEVER, refresher.remainingNs(now()));
    rig.clock.advance(RETRY);
    refresher.retry(now());
    assertEquals(before + 2, ports(), "nothing is stale");
  }

  @Test
  @DisplayName("S12: a port that cannot be refreshed does not keep the next one from it")
  void oneOfTwo() {
    int[] calls = {0};
    device
        .faults()
        .at(
            "queryPort",
            () -> {
              if (++calls[0] == 1) {
                throw new IllegalStateException("planted");
              }
            });
    refresher.before(EventType.RESET_END, 0);
    assertEquals(2, calls[0]);
    refresher.before(EventType.DEVICE_FATAL, 0);
    assertEquals(3, calls[0], "port 1 only");
  }
}
