package ib.core.internal.device;

import ib.core.internal.callback.CallbackPool;
import ib.core.internal.callback.CompletionVectors;
import ib.core.internal.callback.Completions;
import ib.core.internal.callback.Contract;
import ib.core.internal.callback.EventMirror;
import ib.core.internal.event.DeviceCaches;
import ib.core.internal.event.EventHandlers;
import ib.core.internal.restrack.ObjectTable;
import ib.core.internal.restrack.Quotas;
import ib.core.internal.waits.WaitGraph;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Fence;
import ib.core.verbs.Limit;
import ib.core.verbs.MaySleep;
import java.util.function.Supplier;

/**
 * The objects that all handles of one device share.
 *
 * @param driver the driver's device
 * @param attrs its attributes, as read when it was probed
 * @param caches its ports
 * @param handlers its event handlers
 * @param objects its objects, of all clients
 * @param completions makes the core's side of its completion queues
 * @param vectors its completion vectors
 * @param services the services of the built-in clients on it
 */
public record DeviceParts(
    DriverDevice driver,
    DeviceAttr attrs,
    DeviceCaches caches,
    EventHandlers handlers,
    ObjectTable objects,
    Completions completions,
    CompletionVectors vectors,
    Services services) {

  /**
   * The objects that all handles of a midlayer share.
   *
   * @param contract gets the violations
   * @param pool threads for callbacks that may sleep
   * @param quotas the current limits of a client on a device
   * @param waits the wait-for graph
   */
  public record Common(
      Contract contract, CallbackPool pool, Supplier<Quotas> quotas, WaitGraph waits) {}

  /**
   * Makes the parts of a device; no thread starts yet.
   *
   * @param driver the driver's device
   * @param attrs its attributes, as read when it was probed
   * @param caches its ports
   * @param handlers its event handlers
   * @param common what the midlayer's devices share
   * @param mirror who hears the events of objects besides their own handlers
   * @return the parts
   */
  public static DeviceParts of(
      DriverDevice driver,
      DeviceAttr attrs,
      DeviceCaches caches,
      EventHandlers handlers,
      Common common,
      EventMirror mirror) {
    Contract contract = common.contract();
    String culprit = driver.info().driver();
    int count = (int) Math.max(1, attrs.limit(Limit.NUM_COMP_VECTORS));
    CompletionVectors vectors = new CompletionVectors(driver.name(), count, common.pool());
    ObjectTable objects =
        new ObjectTable(culprit, contract, vectors, mirror, common.quotas(), common.waits());
    Completions completions = new Completions(culprit, contract, vectors, common.pool());
    return new DeviceParts(
        driver, attrs, caches, handlers, objects, completions, vectors, new Services());
  }

  /**
   * Ends the device's threads, after all handles were swept.
   *
   * @return whether all have ended; false when a callback is stuck
   */
  @MaySleep
  @Fence
  public boolean close() {
    return vectors.close(objects.waits());
  }
}
