package ib.core.internal.hotplug;

import ib.core.client.ClientStatus.State;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of hot-plug, apart from its mechanics. A test replaces one of them by a wrong one,
 * and the checks must detect that.
 */
class Rules {
  /** Which client is added next (S39, S41, I1). */
  ClientEntry nextToAdd(List<ClientEntry> pending) {
    return pending.getFirst();
  }

  /** Which client is removed next (S40, I1): the reverse of the successful adds. */
  Binding nextToRemove(List<Binding> live) {
    return live.getLast();
  }

  /** {@return the state of a binding after a failed add (CC-5); it gets no remove} */
  State afterFailedAdd() {
    return State.REJECTED;
  }

  /** Whether the caller waits for an operation that another thread is in the way of (I3, I4). */
  boolean waits(Op op) {
    return true;
  }

  /** Whether a wait is refused that would close this cycle (B15). */
  boolean refuses(List<Thread> cycle) {
    return !cycle.isEmpty();
  }

  /** Whether a thread may go on after a call (CC-19). */
  boolean mayGoOn(Tenure tenure) {
    return !tenure.revoked;
  }

  /** Calls code of a client or a driver. */
  @Nullable Object call(Callable<? extends @Nullable Object> body) throws Exception {
    return body.call();
  }
}
