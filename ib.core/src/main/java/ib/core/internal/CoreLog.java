package ib.core.internal;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.internal.event.EventReports;
import ib.core.internal.hotplug.Observer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the core says what went wrong: the log for people, the contract's list for tools. */
final class CoreLog implements Observer, EventReports {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private final Contract contract;

  CoreLog(Contract contract) {
    this.contract = contract;
  }

  @Override
  public void violation(Violation violation) {
    contract.report(violation);
  }

  @Override
  public void leak(LeakRecord leak) {
    LOG.warn(
        "{} left {} of {} behind, made {} ms ago by {}, pinned by {}:\n    at {}",
        leak.client(),
        leak.object(),
        leak.device(),
        leak.ageNs() / 1_000_000,
        leak.thread(),
        leak.pinnedBy(),
        String.join("\n    at ", leak.stack()));
  }

  @Override
  public void failed(String where, Throwable error) {
    LOG.warn("{} failed", where, error);
  }

  @Override
  public void stuck(Stuck s) {
    LOG.warn(
        "{} of {} on {} does not return since {} ms{}; it holds {}; thread {}:\n    at {}",
        s.activity(),
        s.client() == null ? "the driver" : s.client(),
        s.device(),
        s.ns() / 1_000_000,
        s.revoked() ? ", its handle was revoked" : "",
        s.held(),
        s.thread(),
        String.join("\n    at ", s.stack()));
  }

  @Override
  public void note(String text) {
    LOG.info("{}", text);
  }

  @Override
  public void trouble(String device, String text, @Nullable Throwable cause) {
    LOG.warn("{}: {}", device, text, cause);
  }
}
