package ib.ulp.ipoib.link;

import ib.core.serial.KeptRuns;
import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.LinkAddress;
import org.jspecify.annotations.Nullable;

/**
 * Has the loop's thread run the completion handlers that its sends cause, if these are handlers of
 * links only: a link's handler does no more than wake the link's loop. The threads of completion
 * vectors would have to wake up first, one at each end, and a packet would pass four threads
 * instead of two. What a packet to a multicast group, or to an address that is no link's, causes
 * may be another client's handler, which may last; such handlers stay with their vectors. Used on
 * the loop's thread only.
 */
final class NearSends {
  private final NearLinks near;
  private final KeptRuns kept;
  private @Nullable LinkAddress own;

  NearSends(NearLinks near, KeptRuns kept) {
    this.near = near;
    this.kept = kept;
  }

  /** The link has this address from now on. */
  void at(LinkAddress address) {
    near.add(address);
    gone();
    own = address;
  }

  /** The link has no address any more. */
  void gone() {
    if (own != null) {
      near.remove(own);
      own = null;
    }
  }

  /** {@return whether an address is a link's of this client} */
  boolean reaches(LinkAddress to) {
    return near.has(to.gid(), to.qpn());
  }

  /** {@return whether an address is a link's of this client} */
  boolean reaches(Gid gid, int qpn) {
    return near.has(gid, qpn);
  }

  /** The sends that follow go to links only. */
  void begin() {
    kept.keep();
  }

  /** These sends are posted; runs the handlers that they have caused. */
  void end() {
    kept.close();
    kept.run();
  }
}
