package ib.core.internal;

import ib.core.internal.callback.CallbackPool;
import ib.core.internal.callback.CompletionVectors;
import ib.core.internal.callback.Completions;
import ib.core.internal.callback.Contract;
import ib.core.internal.callback.EventMirror;
import ib.core.internal.restrack.ObjectTable;
import ib.core.internal.waits.WaitGraph;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Fence;
import ib.core.verbs.Limit;
import ib.core.verbs.MaySleep;

/**
 * What the handles of one device share.
 *
 * @param driver the driver's device
 * @param attrs its attributes, as read when it was probed
 * @param caches its ports
 * @param handlers its event handlers
 * @param objects its objects, of all clients
 * @param completions makes the core's side of its completion queues
 * @param vectors its threads
 * @param services what the built-in clients offer on it
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
   * Makes the parts of a device; no thread starts yet.
   *
   * @param driver the driver's device
   * @param attrs its attributes, as read when it was probed
   * @param caches its ports
   * @param handlers its event handlers
   * @param contract where violations are reported
   * @param pool the midlayer's threads for callbacks that may sleep
   * @param mirror who hears the events of objects besides their own handlers
   * @param waits who waits for whom
   * @return the parts
   */
  public static DeviceParts of(
      DriverDevice driver,
      DeviceAttr attrs,
      DeviceCaches caches,
      EventHandlers handlers,
      Contract contract,
      CallbackPool pool,
      EventMirror mirror,
      WaitGraph waits) {
    String culprit = driver.info().driver();
    int count = (int) Math.max(1, attrs.limit(Limit.NUM_COMP_VECTORS));
    CompletionVectors vectors = new CompletionVectors(driver.name(), count);
    ObjectTable objects = new ObjectTable(culprit, contract, vectors, mirror, waits);
    Completions completions = new Completions(culprit, contract, vectors, pool);
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
