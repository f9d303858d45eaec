package ib.core.internal;

import ib.core.client.IbCore;
import ib.core.internal.hotplug.Limits;
import ib.core.spi.CoreProvider;
import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneCore;
import java.util.Map;

/** A midlayer for plain Java programs. */
final class PlainCore implements StandaloneCore {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT);

  private PlainCore(CoreConfig config) {
    midlayer.configure(config);
  }

  /** Found by {@code META-INF/services}. */
  public static final class Provider implements CoreProvider {
    /** For the service loader. */
    public Provider() {}

    @Override
    public StandaloneCore create(Map<String, ?> configuration) {
      return new PlainCore(CoreConfig.read(configuration));
    }
  }

  @Override
  public IbCore core() {
    return midlayer;
  }

  @Override
  public DriverRegistry drivers() {
    return midlayer;
  }

  @Override
  public void close() {
    midlayer.close();
  }
}
