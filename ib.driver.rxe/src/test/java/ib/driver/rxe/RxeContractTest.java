package ib.driver.rxe;

import ib.core.verbs.Limit;
import ib.kit.Bench;
import ib.kit.DeviceContract;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("finding")
@DisplayName("issue 4, section 3: the RoCEv2 adapter keeps the contract of a device")
final class RxeContractTest extends DeviceContract {
  @Override
  protected Bench open() {
    return new RxeBench(Map.of());
  }

  @Override
  protected Bench openSmall(Map<Limit, Long> limits) {
    return new RxeBench(limits);
  }
}
