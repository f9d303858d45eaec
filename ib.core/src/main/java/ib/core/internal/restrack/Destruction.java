package ib.core.internal.restrack;

import ib.core.internal.callback.Contract;
import ib.core.internal.callback.Stacks;
import ib.core.internal.restrack.Life.State;
import ib.core.serial.End;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The end of one object, in the only right order (B9): it is hidden already; its callbacks end, its
 * readers leave, then the driver destroys it, once.
 */
final class Destruction {
  private final ObjectRecord record;
  private final Contract contract;

  Destruction(ObjectRecord record) {
    this.record = record;
    this.contract = record.ownership().table.contract;
  }

  /**
   * Closes the object for its client, and waits until it is destroyed.
   *
   * @throws IbBusyException when other objects use it
   * @throws IbInvalidException when it is a handle
   */
  void close() {
    ObjectTable table = record.ownership().table;
    if (record.kind() != Kind.AH) { // S5: any context
      contract.requireMaySleep(record.owner(), record, "close");
    }
    if (record.kind() == Kind.DEVICE) {
      throw new IbInvalidException(
          record + ".close", "a handle is not closed", "return from remove");
    }
    IbObject object = record.self();
    if (object != null && record.life.state() == State.LIVE && !object.pins().isEmpty()) {
      throw new IbBusyException(record + ".close", object.pins());
    }
    while (!record.life.beginClose()) {
      State s = record.life.state();
      if (s == State.RESERVED) {
        throw record.refusal(s, "close");
      }
      if (s != State.LIVE) {
        awaitClosed(table.waits().deadlineNs());
        return;
      }
      if (record.life.users() != 0) {
        throw busy();
      }
    }
    run(table.waits().deadlineNs());
    end(State.CLOSED);
  }

  private IbBusyException busy() {
    List<String> names = record.userRecords().stream().map(ObjectRecord::label).toList();
    return new IbBusyException(
        record + ".close", names.isEmpty() ? List.of("an object being made or closed") : names);
  }

  /** Destroys the object of a client that is gone, used or not; {@return whether it is gone}. */
  boolean force() {
    Life life = record.life;
    long graceNs = record.ownership().graceNs;
    if (life.go(State.RESERVED, State.POISONED)) {
      return false; // publish() or abort() will come, or not
    }
    if (!life.go(State.LIVE, State.CLOSING)) {
      return life.state().compareTo(State.CLOSING) > 0 || awaitClosed(graceNs);
    }
    run(graceNs);
    end(State.POISONED);
    return true;
  }

  /** Destroys an object that the driver finished after its client had gone; it is closing. */
  void revoked() {
    run(record.ownership().graceNs);
    end(State.POISONED);
  }

  /** Destroys an object that the driver finished after the sweep had given up waiting for it. */
  void late() {
    run(record.ownership().graceNs);
    record.release();
  }

  /** The driver has destroyed it: only now its references are given back (B9). */
  private void end(State last) {
    record.release();
    record.life.go(State.CLOSING, last);
  }

  /**
   * Waits until another thread has destroyed the object. Not from inside of what that thread waits
   * for: its callbacks and its own driver call; and address handles never wait (S5).
   */
  private boolean awaitClosed(long limitNs) {
    if (record.kind() == Kind.AH) {
      return false;
    }
    Waits waits = record.ownership().table.waits();
    End end = waits.await(new Closed(record), Waits.Rank.CLOSES, limitNs);
    if (end.kind() == End.Kind.TIMEOUT) {
      List<String> busy = new ArrayList<>();
      record.busy(t -> busy.addAll(Stacks.of(t)));
      contract.report("S32", record.owner(), record + " does not end", busy);
    }
    return end.done();
  }

  private void run(long limitNs) {
    record.busyWith(Thread.currentThread());
    try {
      if (record.kind() != Kind.AH) { // has neither callbacks nor readers, and may not wait (S5)
        for (Serial task : record.tasks()) {
          fence(task, limitNs);
        }
        record
            .ownership()
            .table
            .waits()
            .await(new NoReaders(record), Waits.Rank.CLOSES, limitNs); // short: readers do not wait
      }
      destroy();
    } finally {
      record.busyWith(null);
    }
  }

  private void fence(Serial task, long limitNs) {
    Waits waits = record.ownership().table.waits();
    task.close();
    End end = task.fence(waits, Waits.Rank.CLOSES, record.toString(), limitNs);
    if (end.done()) {
      return;
    }
    String client = record.owner();
    switch (end.kind()) {
      case DONE -> {}
      case INSIDE ->
          contract.report(
              "S26",
              client,
              record + " is closed from inside its own callback: deferred",
              List.of());
      case REFUSED ->
          contract.report(
              "S26",
              client,
              record + " is closed by a thread for which its callback waits: deferred",
              Stacks.of(task.runner()));
      case TIMEOUT ->
          contract.report(
              "S32",
              client,
              "a callback of " + record + " does not return",
              Stacks.of(task.runner()));
    }
    if (end.kind() != End.Kind.TIMEOUT) {
      record.ownership().owes(task.currentRun(record.toString()));
    }
  }

  /** The end of the last reader of the object. */
  private record NoReaders(ObjectRecord record) implements Waits.Target {
    @Override
    public boolean over() {
      return record.life.readers() == 0;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      // readers are not recorded; a reader never waits
    }

    @Override
    public String text() {
      return "introspection of " + record;
    }
  }

  private void destroy() {
    Runnable destroyer = record.takeDestroyer();
    if (destroyer == null) {
      return;
    }
    try {
      destroyer.run();
    } catch (Throwable e) {
      // doDestroy must not throw: the object counts as gone all the same, or the device would never
      // go
      contract.handlerThrew("the driver, destroying " + record + ",", e);
      contract.report(
          "S28",
          record.ownership().table.driver,
          "destroying " + record + " failed: " + e,
          List.of());
    }
  }
}
