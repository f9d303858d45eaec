package ib.kit;

import ib.core.client.IbCore;
import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import java.util.List;

/**
 * The test bed that a driver supplies to the suite: devices on one fabric, registered with one
 * midlayer. It is usually built over {@link ib.core.spi.StandaloneCore}.
 */
public interface Bench extends AutoCloseable {
  /** {@return the midlayer that the devices are registered with} */
  IbCore core();

  /** {@return the names of at least two devices that reach each other from port 1 to port 1} */
  List<String> devices();

  /**
   * Takes a device away, as stopping its bundle does: returns when it is gone.
   *
   * @param device its name
   */
  void unplug(String device);

  /**
   * Brings a device back under the same name; returns when all clients were added.
   *
   * @param device its name
   */
  void plug(String device);

  /**
   * Pulls or puts back the cable of port 1.
   *
   * @param device its name
   * @param up whether the cable is in
   * @return whether this was done; false when the bench cannot, and the cases about links are
   *     skipped
   */
  default boolean link(String device, boolean up) {
    return false;
  }

  /**
   * {@return whether the fabric loses, doubles and reorders nothing; when false, only the cases of
   * reliable connections and of the control path run}
   */
  default boolean lossless() {
    return true;
  }

  /**
   * {@return whether a subnet administrator answers at port 1 of InfiniBand devices; when false,
   * the cases that ask one are skipped by name}
   */
  default boolean administered() {
    return true;
  }

  /**
   * Whether the queue pairs of the devices raise an event. When not, the cases that wait for it
   * check all else, and are then skipped by name.
   *
   * @param type QP_ACCESS_ERR, QP_REQ_ERR, COMM_EST or QP_LAST_WQE_REACHED
   * @return whether they do
   */
  default boolean raises(EventType type) {
    return true;
  }

  /**
   * The way from port 1 of a device to port 1 of another.
   *
   * @param from where it starts
   * @param to where it leads
   * @return LID on InfiniBand, the first GID elsewhere
   */
  default AhAttr path(IbDevice from, IbDevice to) {
    return from.queryPort(1).linkLayer() == LinkLayer.INFINIBAND
        ? AhAttr.ofLid(1, to.queryPort(1).lid(), 0)
        : AhAttr.ofGid(1, GlobalRoute.to(to.gid(1, 0), 0));
  }

  /**
   * The address of a multicast group that the devices can reach each other in.
   *
   * @return with the group as destination GID, and its LID where there are such
   */
  default AhAttr group() {
    return AhAttr.ofLid(1, 0xC123, 0, GlobalRoute.to(new Gid(0xff12_401b_ffff_0000L, 0x2468L), 0));
  }

  /** Takes everything down. */
  @Override
  void close();
}
