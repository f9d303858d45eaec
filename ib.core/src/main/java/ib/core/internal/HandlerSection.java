package ib.core.internal;

import ib.core.internal.callback.Contract;
import ib.core.internal.event.AtomicSection;
import ib.core.verbs.IbEventHandler;

/** Event handlers run in atomic sections (S26). */
final class HandlerSection implements AtomicSection {
  @Override
  public void enter(IbEventHandler handler) {
    Contract.enterAtomic();
  }

  @Override
  public void exit() {
    Contract.exitAtomic();
  }
}
