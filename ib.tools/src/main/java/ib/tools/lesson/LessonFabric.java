package ib.tools.lesson;

import ib.core.spi.FabricOptions;
import ib.core.spi.StandaloneDriver;
import ib.core.spi.StandaloneFabric;
import java.util.List;
import java.util.Map;

/** The devices of one lesson, under a midlayer of their own. */
final class LessonFabric extends StandaloneFabric {
  private static final class Options extends FabricOptions<Options> {
    @Override
    protected Options self() {
      return this;
    }
  }

  private LessonFabric(StandaloneDriver driver, Options options) {
    super(driver, options);
  }

  /**
   * Opens the devices of a lesson.
   *
   * @param driver the driver
   * @param devices the configuration of each
   * @return the fabric, its ports active
   */
  static LessonFabric open(StandaloneDriver driver, List<Map<String, Object>> devices) {
    Options options = new Options();
    for (int i = 0; i < devices.size(); i++) {
      options.device(Lesson.DEVICES.get(i), devices.get(i));
    }
    options.seed(1); // the same faults in each run
    return new LessonFabric(driver, options);
  }
}
