package ib.driver.base;

/** The table of all slots, which starts the slots' threads and is notified of changes. */
interface SlotObserver {
  /** Starts a thread that does a slot's work when its turn has come, and then ends. */
  void start(Slot<?> slot, Runnable work);

  /**
   * Runs something after a time, on a thread of its own.
   *
   * @return ends the time early; the action is not run then, unless it runs already
   */
  Runnable later(Slot<?> slot, int seconds, Runnable action);

  /** Called when a slot has reached a target state; names and GUIDs may have become free. */
  void settled(Slot<?> slot);

  /** {@return the next number in the order of announced devices} */
  long announced();

  /** Called when a plug, a change or an unplug has failed. */
  void failed(String what, Throwable why);
}
