package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.verbs.IbDevice;
import java.util.List;

/** The handle of one client or lease holder on one device (D2). */
public interface BoundHandle {
  /** {@return what the owner gets} */
  IbDevice device();

  /** {@return what was made through the handle and is still there, for reports; any context} */
  List<String> held();

  /**
   * Destroys in dependency order what is left, fences its callbacks and poisons the handle (S32,
   * I4, CC-20).
   *
   * @return what was left
   */
  List<LeakRecord> sweepAndPoison();
}
