package ib.core.internal;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.event.EventReports;
import ib.core.internal.hotplug.Observer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the core says what went wrong: the log for people, the contract's list for tools. */
final class CoreLog implements Observer, EventReports {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private final Contract contract;
  private final Runnable freed;

  /**
   * Creates it.
   *
   * @param freed what is to be done when a name or GUID is free
   */
  CoreLog(Contract contract, Runnable freed) {
    this.contract = contract;
    this.freed = freed;
  }

  @Override
  public void violation(Violation violation) {
    contract.report(violation);
  }

  @Override
  public void leak(LeakRecord leak) {
    String pinned = leak.pinnedBy().isEmpty() ? "" : ", in use by " + leak.pinnedBy();
    String made = ", made " + leak.ageNs() / 1_000_000 + " ms ago by " + leak.thread();
    String text = "left " + leak.object() + " of " + leak.device() + " behind" + made + pinned;
    contract.report(new Violation("S32", leak.client(), text, leak.stack(), List.of()));
  }

  @Override
  public void failed(String where, Throwable error) {
    LOG.warn("{} failed", where, error);
  }

  @Override
  public void stuck(Stuck s) {
    String what =
        "%s on %s does not return since %d ms%s; it holds %s; thread %s"
            .formatted(
                s.activity(),
                s.device(),
                s.ns() / 1_000_000,
                s.revoked() ? ", its handle was revoked" : "",
                s.held(),
                s.thread());
    String client = s.client();
    if (s.revoked() && client != null) {
      contract.report(new Violation("CC-19", client, what, s.stack(), List.of()));
    } else {
      LOG.warn(
          "{} of {}:\n    at {}",
          what,
          client == null ? "the driver" : client,
          String.join("\n    at ", s.stack()));
    }
  }

  @Override
  public void note(String text) {
    LOG.info("{}", text);
  }

  @Override
  public void freed() {
    freed.run();
  }

  @Override
  public void trouble(String device, String text, @Nullable Throwable cause) {
    LOG.warn("{}: {}", device, text, cause);
  }
}
