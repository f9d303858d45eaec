package ib.core.client;

import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An upper level protocol (S35). Register it as an OSGi service, or with {@link
 * IbCore#registerClient}.
 *
 * <p>Clients are added to a device in the order of their registration ({@code service.id}), refined
 * by the service property {@link #AFTER}; they are removed in the reverse order of their successful
 * adds.
 */
@ConsumerType
public interface IbClient {

  /**
   * Service property: names of clients that must be added before this one, a string or several
   * (S41). Names that are not registered are ignored; a cycle is reported and ignored. The property
   * orders clients that are registered when a device comes; it does not wait for one that is not. A
   * refresh of bundles restarts them in the framework's order, so a client that must never see a
   * device before another one has it depends on the other's service, too.
   */
  String AFTER = "ib.client.after";

  /** {@return the name, unique among clients; shown by tools and in leak reports} */
  String name();

  /**
   * Filters devices, like {@code no_kverbs_req} (CC-25).
   *
   * @param device identity of a device
   * @return whether {@link #add} is to be called for it
   */
  default boolean supports(DeviceInfo device) {
    return true;
  }

  /**
   * A device is there. From the first line on, every verb works (S31, I6).
   *
   * @param device this client's own handle: everything made through it belongs to this client (D2)
   * @return what {@link #remove} is to get back; may be null (CC-24)
   * @throws IbException or anything else: the add has failed, what was made is destroyed, no remove
   *     follows (CC-5, CC-6)
   */
  @MaySleep
  @Nullable Object add(IbDevice device);

  /**
   * The device goes, or this client does. When this returns, nothing made through the handle may be
   * left; what is left is reported and destroyed (S32, CC-20). The device works until the last line
   * (S28).
   *
   * @param device the handle that {@link #add} got
   * @param clientData what {@link #add} returned
   */
  @MaySleep
  void remove(IbDevice device, @Nullable Object clientData);

  /**
   * The device has a new name (CC-15).
   *
   * @param device the handle that {@link #add} got
   * @param clientData what {@link #add} returned
   * @param oldName the name before
   */
  @MaySleep
  default void renamed(IbDevice device, @Nullable Object clientData, String oldName) {}
}
