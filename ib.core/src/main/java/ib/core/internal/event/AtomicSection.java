package ib.core.internal.event;

import ib.core.verbs.IbEventHandler;

/**
 * Marks the calling thread while it runs a handler, so that methods that may sleep refuse to run
 * (S26).
 */
public interface AtomicSection {
  /** Marks nothing. */
  AtomicSection NONE =
      new AtomicSection() {
        @Override
        public void enter(IbEventHandler handler) {}

        @Override
        public void exit() {}
      };

  /**
   * The calling thread begins to run a handler.
   *
   * @param handler the handler
   */
  void enter(IbEventHandler handler);

  /** The calling thread has ended the call of the handler. */
  void exit();
}
