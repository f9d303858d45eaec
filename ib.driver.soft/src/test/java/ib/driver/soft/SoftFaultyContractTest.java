package ib.driver.soft;

import ib.core.verbs.Limit;
import ib.kit.Bench;
import ib.kit.DeviceContract;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("finding")
@DisplayName("issue 3, section 5: the same while 5 % of all packets are lost, doubled, overtaken")
final class SoftFaultyContractTest extends DeviceContract {
  private static final String FAULTS =
      "loss rate=0.05,duplicate rate=0.05,reorder rate=0.05 packets=8 delay=1ms";

  @Override
  protected Bench open() {
    return new Faulty();
  }

  @Override
  protected Bench openSmall(Map<Limit, Long> limits) {
    return SoftBench.withLimits(limits); // nothing about limits depends on packets
  }

  private static final class Faulty extends SoftBench {
    Faulty() {
      super("faults", FAULTS, "fault_seed", Long.getLong("ib.kit.seed", 20_261_121L));
    }

    @Override
    public boolean lossless() {
      return false;
    }
  }
}
