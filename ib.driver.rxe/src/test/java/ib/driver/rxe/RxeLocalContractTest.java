package ib.driver.rxe;

import ib.core.verbs.Limit;
import ib.kit.Bench;
import ib.kit.DeviceContract;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("finding")
@DisplayName("issue 13, point 2: the contract of a device holds when packets stay in this JVM")
final class RxeLocalContractTest extends DeviceContract {
  @Override
  protected Bench open() {
    return openSmall(Map.of());
  }

  @Override
  protected Bench openSmall(Map<Limit, Long> limits) {
    return new RxeBench(limits, "local", "memory");
  }
}
