package ib.cm.stream;

import ib.core.spi.StandaloneFabric;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.util.function.Supplier;

/** Two devices and what connects them: a fabric in memory, or UDP. */
enum Medium {
  SOFT(() -> SoftFabric.open("soft0", "soft1")),
  RXE(() -> RxeHost.open("127.0.49.1", "127.0.49.2"));

  private final Supplier<StandaloneFabric> opens;

  Medium(Supplier<StandaloneFabric> opens) {
    this.opens = opens;
  }

  StandaloneFabric open() {
    return opens.get();
  }
}
