package ib.itests.interop;

import org.junit.ClassRule;
import org.junit.rules.ExternalResource;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;

/**
 * Issue 4, section 2: an unmodified Linux host with rdma_rxe takes us for one of its own. Skipped,
 * with the reason, where no peer can run.
 */
@RunWith(Suite.class)
@Suite.SuiteClasses({
  Scenarios.class,
  PingPongs.class,
  Losses.class,
  Perftests.class,
  ConnectedPerftests.class,
  Rpings.class,
  Streams.class,
  Copies.class,
  Messages.class,
  Groups.class,
  Handshakes.class,
  Silences.class,
  Crowds.class,
  LostMessages.class,
  Traces.class,
  StrangeMessages.class,
  Refusals.class,
  NvmeHosts.class,
  NvmeTargets.class,
  Endurance.class,
  Outages.class,
  Repeated.class
})
public class InteropIT {
  /** Peer and runtime. */
  @ClassRule public static final ExternalResource LANE = Lane.LANE;
}
