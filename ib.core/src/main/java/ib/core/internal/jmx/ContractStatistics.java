package ib.core.internal.jmx;

import ib.core.client.Violation;
import ib.core.internal.callback.Contract;
import ib.core.verbs.AnyContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Shows the violations of one midlayer to JMX, as {@code ib:type=Contract}: how many there were,
 * and the reports. The work is done on the {@link StatisticsThread}.
 */
public final class ContractStatistics {
  private final Contract contract;
  private final StatisticsThread thread;
  private final AtomicBoolean open = new AtomicBoolean();
  private @Nullable ObjectName name; // the statistics thread's

  /**
   * Shows nothing yet.
   *
   * @param contract where violations are recorded
   * @param thread where the work is done
   */
  public ContractStatistics(Contract contract, StatisticsThread thread) {
    this.contract = contract;
    this.thread = thread;
  }

  /** Shows the violations from now on; a second call does nothing. */
  @AnyContext
  public void open() {
    if (open.compareAndSet(false, true)) {
      Bean bean = new Bean(contract);
      thread.later("showing violations to JMX", () -> name = Beans.show(bean, "ib:type=Contract"));
    }
  }

  /** Shows them no more. */
  @AnyContext
  public void close() {
    if (open.compareAndSet(true, false)) {
      thread.later("taking violations from JMX", () -> Beans.hide(name));
    }
  }

  private static final class Bean extends ReadOnlyBean {
    private final Contract contract;

    Bean(Contract contract) {
      super("broken clauses of the contract of the InfiniBand midlayer");
      this.contract = contract;
    }

    @Override
    Map<String, Object> read() {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("count", contract.violationCount());
      all.put(
          "violations",
          contract.violations().stream().map(Violation::report).toArray(String[]::new));
      return all;
    }
  }
}
