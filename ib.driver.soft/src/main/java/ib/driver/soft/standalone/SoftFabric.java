package ib.driver.soft.standalone;

import ib.core.spi.FabricOptions;
import ib.core.spi.StandaloneDriver;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import java.nio.file.Path;

/**
 * InfiniBand devices in this JVM, cabled to one switch: the soft driver for a program without OSGi,
 * without hardware and without root. Their ports are active when {@link #open} returns.
 *
 * <pre>{@code
 * try (var fabric = SoftFabric.open("soft0", "soft1")) {
 *   IbDevice a = fabric.device("soft0");
 *   IbDevice b = fabric.device("soft1");
 *   …
 * }
 * }</pre>
 *
 * <p>With options:
 *
 * <pre>{@code
 * SoftFabric.options()
 *     .devices("soft0", "soft1")
 *     .device("soft2", Map.of("ports", 2, "mtu", 1024))
 *     .faults("loss rate=0.05")
 *     .seed(42)
 *     .limit(Limit.MAX_QP, 100)
 *     .open()
 * }</pre>
 *
 * <p>A device's keys are {@code name}, {@code switch}, {@code ports}, {@code guid}, {@code link},
 * {@code mtu}, {@code pkeys}, {@code faults}, {@code fault_seed}, {@code comp_vectors} and the
 * limits: those of the driver's configuration {@code ib.driver.soft}.
 */
public final class SoftFabric extends StandaloneFabric {
  private static final String DRIVER = "ib.driver.soft";

  /** The options of a fabric. */
  public static final class Options extends FabricOptions<Options> {
    private Options() {}

    @Override
    protected Options self() {
      return this;
    }

    /**
     * Lays switches and cables as a file in {@code ibnetdiscover}'s format says. A device of the
     * same name, or GUID, as an adapter of the file is that adapter.
     *
     * @param file the file, read when the fabric is opened
     * @return this
     */
    public Options topology(Path file) {
      medium("topology", file.toString());
      return this;
    }

    /**
     * Lets management software such as OpenSM find the fabric by ibsim's protocol.
     *
     * @param udpPort on the loopback interface; the 64 ports above it are used, too
     * @return this
     */
    public Options ibsimPort(int udpPort) {
      medium("ibsim.port", udpPort);
      return this;
    }

    /**
     * Opens the fabric.
     *
     * @return the fabric, its ports active; close it
     * @throws ib.core.verbs.IbInvalidException that names each key that is wrong
     * @throws IbException when a device cannot be had; nothing is left open then
     */
    @MaySleep
    public SoftFabric open() {
      return new SoftFabric(this);
    }
  }

  private SoftFabric(Options options) {
    super(StandaloneDriver.find(DRIVER, SoftFabric.class.getClassLoader()), options);
  }

  /**
   * Opens a fabric with devices of one port each, without faults.
   *
   * @param devices their names, each a letter followed by letters, digits, '_', '.' and '-'
   * @return the fabric, its ports active; close it
   * @throws ib.core.verbs.IbInvalidException when a name is none, or comes twice
   */
  @MaySleep
  public static SoftFabric open(String... devices) {
    return options().devices(devices).open();
  }

  /** {@return options without devices} */
  public static Options options() {
    return new Options();
  }
}
