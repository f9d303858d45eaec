package ib.core.internal.restrack;

import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.serial.End;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.verbs.ObjectControl.Kind;
import java.util.List;
import java.util.function.Consumer;

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
    book.busyWith(Thread.currentThread());
    try {
      if (book.kind() != Kind.AH) { // has neither callbacks nor readers, and may not wait (S5)
        for (Serial task : book.tasks()) {
          fence(task, limitNs);
        }
        book.ownership()
            .table()
            .waits()
            .await(new NoReaders(book), Waits.Rank.CLOSES, limitNs); // short: they wait for nobody
      }
      destroy();
    } finally {
      book.busyWith(null);
    }
  }

  private void fence(Serial task, long limitNs) {
    Waits waits = book.ownership().table().waits();
    task.close();
    End end = task.fence(waits, Waits.Rank.CLOSES, book.toString(), limitNs);
    if (end.done()) {
      return;
    }
    String client = book.owner();
    switch (end.kind()) {
      case DONE -> {}
      case INSIDE ->
          contract.report(
              "S26", client, book + " is closed from inside its own callback: deferred", List.of());
      case REFUSED ->
          contract.report(
              "S26",
              client,
              book + " is closed by a thread for which its callback waits: deferred",
              Stacks.of(task.runner()));
      case TIMEOUT ->
          contract.report(
              "S32",
              client,
              "a callback of " + book + " does not return",
              Stacks.of(task.runner()));
    }
    if (end.kind() != End.Kind.TIMEOUT) {
      book.ownership().owes(task.currentRun(book.toString()));
    }
  }

  /** Nobody looks at the object any more. */
  private record NoReaders(Book book) implements Waits.Target {
    @Override
    public boolean over() {
      return book.life().readers() == 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      // who looks never waits
    }

    @Override
    public String text() {
      return "introspection of " + book;
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
