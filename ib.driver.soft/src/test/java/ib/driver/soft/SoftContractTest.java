package ib.driver.soft;

import ib.core.verbs.Limit;
import ib.kit.Bench;
import ib.kit.DeviceContract;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("finding")
@DisplayName("issue 3, section 5: the soft adapter keeps the contract of a device")
final class SoftContractTest extends DeviceContract {
  @Override
  protected Bench open() {
    return new SoftBench();
  }

  @Override
  protected Bench openSmall(Map<Limit, Long> limits) {
    return SoftBench.withLimits(limits);
  }
}
