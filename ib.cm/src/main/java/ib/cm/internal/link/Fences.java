package ib.cm.internal.link;

import ib.core.serial.End;
import ib.core.serial.Mailbox;
import ib.core.serial.Waits;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of the handlers of a share that is closed. */
public final class Fences {
  private static final Logger LOG = LoggerFactory.getLogger(Fences.class);
  private static final long MAX_WAIT_NS = 60_000_000_000L;

  private Fences() {}

  /**
   * Waits until handlers have heard all, a minute at most; not inside of a handler (API-2).
   *
   * @param handlers what the share has called
   * @param waits of the device
   * @param share what is closed
   */
  public static void await(List<Mailbox<?>> handlers, Waits waits, Object share) {
    long until = System.nanoTime() + MAX_WAIT_NS;
    for (Mailbox<?> each : handlers) {
      String what = "the callback of " + each + " of ib.cm";
      long limit = Math.max(0, until - System.nanoTime());
      End end = each.drain(waits, Waits.Rank.CLOSES, what, limit);
      if (end.kind() == End.Kind.REFUSED || end.kind() == End.Kind.TIMEOUT) {
        LOG.warn("{} is closed while {} still runs: {}", share, what, end);
      }
    }
  }
}
