package ib.core.internal.mad;

import ib.core.client.IbClient;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.serial.Waits;
import ib.core.verbs.Cap;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MaySleep;
import org.jspecify.annotations.Nullable;

/** Client 0 of the core (M1): gives every device with general services its MAD layer. */
public final class MadClient implements IbClient, AutoCloseable {
  /** Name of this client. */
  public static final String NAME = "mad";

  private final Contract contract;
  private final Waits waits;
  private final Threads threads = new Threads();

  /**
   * Makes the client; no thread starts yet.
   *
   * @param contract where violations are reported
   * @param waits who waits for whom
   */
  public MadClient(Contract contract, Waits waits) {
    this.contract = contract;
    this.waits = waits;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** {@return time and threads, for the layer above} */
  public World world() {
    return threads;
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    if (!device.has(Cap.GSI)) {
      return null;
    }
    BoundDevice bound = BoundDevice.of(device, "mad.add");
    MadDevice mad = new MadDevice(bound, threads, contract, waits);
    mad.start();
    bound.parts().services().mad(mad);
    return mad;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof MadDevice mad) {
      BoundDevice.of(device, "mad.remove").parts().services().mad(null);
      mad.close();
    }
  }

  /** Ends the threads, after all devices are gone. */
  @Override
  @MaySleep
  @Fence
  public void close() {
    threads.close();
  }
}
