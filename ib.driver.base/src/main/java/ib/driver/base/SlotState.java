package ib.driver.base;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The wish for a slot and how far its worker is, as one value. A thread replaces it as a whole, so
 * that every reader sees a wish and the names that belong to it together.
 *
 * @param target configuration of the device; null ends the slot
 * @param wanted whether the device is to be plugged
 * @param closing whether no device may be plugged any more
 * @param revision number of the last request
 * @param reaching configuration that the worker is working towards, or null
 * @param applied configuration of the device as it is, or null
 * @param settled number of the last request that the worker has carried out
 * @param failure why that request failed, or null
 * @param <C> the driver's kind of configuration
 */
record SlotState<C extends DeviceConfig<C>>(
    @Nullable C target,
    boolean wanted,
    boolean closing,
    long revision,
    @Nullable C reaching,
    @Nullable C applied,
    long settled,
    @Nullable Throwable failure) {

  /** {@return the state of a slot without a configuration} */
  static <C extends DeviceConfig<C>> SlotState<C> initial() {
    return new SlotState<>(null, true, false, 0, null, null, 0, null);
  }

  // ---- requests; any thread ----

  SlotState<C> target(@Nullable C config) {
    return new SlotState<>(config, wanted, closing, revision, reaching, applied, settled, failure);
  }

  SlotState<C> wanted(boolean in) {
    return new SlotState<>(target, in, closing, revision, reaching, applied, settled, failure);
  }

  SlotState<C> close() {
    return new SlotState<>(target, wanted, true, revision, reaching, applied, settled, failure);
  }

  /** {@return this as a new request} */
  SlotState<C> request() {
    return new SlotState<>(
        target, wanted, closing, revision + 1, reaching, applied, settled, failure);
  }

  // ---- progress; the worker ----

  /** {@return the target in progress, if the worker has not carried it out} */
  SlotState<C> begin() {
    return settled == revision
        ? this
        : new SlotState<>(target, wanted, closing, revision, target, applied, settled, failure);
  }

  SlotState<C> apply(@Nullable C config) {
    return new SlotState<>(target, wanted, closing, revision, reaching, config, settled, failure);
  }

  SlotState<C> settle(long seen, @Nullable Throwable why) {
    return new SlotState<>(target, wanted, closing, revision, null, applied, seen, why);
  }

  // ---- questions ----

  /** {@return the configurations whose names and GUIDs the slot holds} */
  List<C> claims() {
    return Stream.of(target, reaching, applied)
        .<C>mapMulti(
            (config, to) -> {
              if (config != null) {
                to.accept(config);
              }
            })
        .toList(); // the same one twice does no harm: nothing is hashed
  }

  /** {@return whether there is no target, and the worker has unplugged the device} */
  boolean gone() {
    return target == null && settled == revision;
  }

  /** {@return whether the slot has ended for good, and accepts no request} */
  boolean ended() {
    return closing && gone();
  }
}
