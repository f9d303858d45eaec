package ib.itests.interop;

import org.junit.ClassRule;
import org.junit.rules.ExternalResource;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;

/**
 * All that needs the Linux peer, which boots once for it: {@link InteropIT} and {@link VerbsIT},
 * each of which would boot it by itself when it runs alone.
 */
@RunWith(Suite.class)
@Suite.SuiteClasses({InteropIT.class, VerbsIT.class})
public class LinuxPeerIT {
  /** The peer; where it is not wanted or cannot run, each of the two says so. */
  @ClassRule
  public static final ExternalResource PEER =
      new ExternalResource() {
        private final LinuxPeer peer = new LinuxPeer(System.getProperty("ib.peer.kernel", "6.1"));
        private boolean started;

        @Override
        protected void before() {
          started = LinuxPeer.WANTED && peer.run(60, "why-not").status() == 0 && peer.start();
        }

        @Override
        protected void after() {
          if (started) {
            peer.run(60, "stop");
          }
        }
      };
}
