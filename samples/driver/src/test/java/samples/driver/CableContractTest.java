package samples.driver;

import ib.core.client.IbCore;
import ib.core.spi.StandaloneFabric;
import ib.kit.Bench;
import ib.kit.DeviceContract;
import java.util.List;
import java.util.Map;

/** The contract of a driver: several hundred cases, written once for all drivers. */
class CableContractTest extends DeviceContract {
  @Override
  protected Bench open() {
    StandaloneFabric fabric =
        StandaloneFabric.options(CableDriver.PID)
            .device("cable0", Map.of("lid", 1))
            .device("cable1", Map.of("lid", 2))
            .open();
    return new Bench() {
      @Override
      public IbCore core() {
        return fabric.core();
      }

      @Override
      public List<String> devices() {
        return fabric.names();
      }

      @Override
      public void unplug(String device) {
        fabric.unplug(device);
      }

      @Override
      public void plug(String device) {
        fabric.plug(device);
      }

      @Override
      public boolean administered() {
        return false; // there is no subnet manager; the LIDs are those of the configuration
      }

      @Override
      public void close() {
        fabric.close();
      }
    };
  }
}
