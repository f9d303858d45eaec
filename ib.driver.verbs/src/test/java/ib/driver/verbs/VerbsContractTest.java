package ib.driver.verbs;

import ib.kit.Bench;
import ib.kit.DeviceContract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@Tag("finding")
@DisplayName("issue 17, point 4: a device of the host keeps the contract of a device")
@EnabledIfSystemProperty(
    named = VerbsBench.DEVICE,
    matches = ".+",
    disabledReason =
        "no RDMA device of the host was named: -Dib.verbs.device=rxe0; VerbsIT runs it in the"
            + " Linux peer")
final class VerbsContractTest extends DeviceContract {
  @Override
  protected Bench open() {
    return new VerbsBench();
  }
}
