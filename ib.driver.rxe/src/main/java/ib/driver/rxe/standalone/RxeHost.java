package ib.driver.rxe.standalone;

import ib.core.spi.FabricOptions;
import ib.core.spi.StandaloneDriver;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import java.util.Map;

/**
 * RoCEv2 devices of this process on addresses of this host: the rxe driver for a program without
 * OSGi, without a kernel module and without root. They reach each other, other processes and Linux
 * hosts with {@code rdma_rxe} or a RoCE adapter, by UDP.
 *
 * <pre>{@code
 * try (var host = RxeHost.open("127.0.0.1", "127.0.0.2")) {
 *   IbDevice a = host.device("rxe0");
 *   IbDevice b = host.device("rxe1");
 *   …
 * }
 * }</pre>
 *
 * <p>With options:
 *
 * <pre>{@code
 * RxeHost.options()
 *     .device("rxe0", "192.168.1.7")
 *     .device("rxe1", Map.of("interface", "eth1", "mtu", 1024))
 *     .faults("loss rate=0.05")
 *     .seed(42)
 *     .open()
 * }</pre>
 *
 * <p>A device's keys are those of the driver's configuration {@code ib.driver.rxe}, for example
 * {@code address}, {@code interface}, {@code port}, {@code mtu}, {@code window}.
 */
public final class RxeHost extends StandaloneFabric {
  private static final String DRIVER = "ib.driver.rxe";

  /** The devices and their options. */
  public static final class Options extends FabricOptions<Options> {
    private Options() {}

    @Override
    protected Options self() {
      return this;
    }

    /**
     * Adds a device on addresses of this host.
     *
     * @param name its name
     * @param addresses IPv4 or IPv6, comma separated
     * @return this
     * @throws ib.core.verbs.IbInvalidException when the name comes twice
     */
    public Options device(String name, String addresses) {
      return device(name, Map.of("address", addresses));
    }

    /**
     * Opens the devices.
     *
     * @return the devices; close them
     * @throws ib.core.verbs.IbInvalidException that names each key that is wrong
     * @throws ib.core.verbs.IbAgainException when the UDP port of an address is in use: it says by
     *     whom
     * @throws IbException when a device cannot be had; nothing is left open then
     */
    @MaySleep
    public RxeHost open() {
      return new RxeHost(this);
    }
  }

  private RxeHost(Options options) {
    super(StandaloneDriver.find(DRIVER, RxeHost.class.getClassLoader()), options);
  }

  /**
   * Opens a device on each of some addresses of this host, with the names {@code rxe0}, {@code
   * rxe1} and so on, at UDP port 4791.
   *
   * @param addresses IPv4 or IPv6
   * @return the devices; close them
   * @throws ib.core.verbs.IbAgainException when the UDP port of an address is in use: it says by
   *     whom
   * @throws IbException when a device cannot be had; nothing is left open then
   */
  @MaySleep
  public static RxeHost open(String... addresses) {
    Options options = options();
    for (int i = 0; i < addresses.length; i++) {
      options.device("rxe" + i, addresses[i]);
    }
    return options.open();
  }

  /** {@return options without devices} */
  public static Options options() {
    return new Options();
  }
}
