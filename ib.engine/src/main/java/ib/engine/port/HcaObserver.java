package ib.engine.port;

import ib.core.mad.MadSource;
import ib.core.spi.DeviceOps;
import ib.core.spi.MadVerdict;
import ib.core.verbs.EventType;
import java.lang.foreign.MemorySegment;

/** Hears a device's unaffiliated events, and answers for its node; implemented by its driver. */
@FunctionalInterface
public interface HcaObserver {
  /**
   * Called with an unaffiliated event after the state has changed, on the thread that changed the
   * state; must not block.
   *
   * @param type an unaffiliated type
   * @param port from 1, or 0 for the device
   */
  void event(EventType type, int port);

  /**
   * Asks the node's agents about a management datagram; see {@link DeviceOps#processMad}.
   *
   * @param port from 1
   * @param source where it comes from
   * @param in 256 bytes; not to be changed
   * @param out 256 bytes of 0, for the answer
   * @return what was done
   */
  default MadVerdict processMad(int port, MadSource source, MemorySegment in, MemorySegment out) {
    return MadVerdict.PASS;
  }

  /**
   * Makes a change that a client asks of a port; may block.
   *
   * @param port from 1
   * @param change to be run once, on this thread
   */
  default void change(int port, Runnable change) {
    change.run();
  }
}
