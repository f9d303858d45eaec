package ib.core.internal.restrack;

import ib.core.internal.callback.Backoff;
import ib.core.internal.callback.CallbackTask;
import ib.core.internal.callback.CallbackTask.FenceResult;
import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.verbs.ObjectControl.Kind;
import java.util.List;

/**
 * The end of one object, in the only right order (B9): it is hidden already; its callbacks end, its
 * readers leave, then the driver destroys it, once.
 */
final class Teardown {
  private final Book book;
  private final Contract contract;

  Teardown(Book book) {
    this.book = book;
    this.contract = book.ownership().table().contract();
  }

  void run(long limitNs) {
    book.closer(Thread.currentThread());
    try {
      if (book.kind() != Kind.AH) { // has neither callbacks nor readers, and may not wait (S5)
        for (CallbackTask task : book.tasks()) {
          fence(task, limitNs);
        }
        Backoff.await(() -> book.life().readers() == 0, "introspection of " + book, limitNs);
      }
      destroy();
    } finally {
      book.closer(null);
    }
  }

  private void fence(CallbackTask task, long limitNs) {
    FenceResult result = task.fence(book.ownership().table().fences(), book.toString(), limitNs);
    List<String> running = Stacks.of(task.runner());
    String client = book.owner();
    switch (result) {
      case DONE -> {}
      case INSIDE ->
          contract.report(
              "S26", client, book + " is closed from inside its own callback: deferred", List.of());
      case DEADLOCK ->
          contract.report(
              "S26",
              client,
              "a callback closes " + book + ", whose callback closes its queue",
              running);
      case TIMEOUT ->
          contract.report("S32", client, "a callback of " + book + " does not return", running);
    }
  }

  private void destroy() {
    Runnable destroyer = book.takeDestroyer();
    if (destroyer == null) {
      return;
    }
    try {
      destroyer.run();
    } catch (Throwable e) {
      // doDestroy must not throw: the object counts as gone all the same, or the device would never
      // go
      contract.handlerThrew("the driver, destroying " + book + ",", e);
      contract.report(
          "S28",
          book.ownership().table().driver(),
          "destroying " + book + " failed: " + e,
          List.of());
    }
  }
}
