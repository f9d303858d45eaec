package ib.core.internal.restrack;

import ib.core.client.Violation;
import ib.core.internal.callback.GuardedEventHandler;
import ib.core.internal.callback.ObjectEvents;
import ib.core.internal.callback.Stacks;
import ib.core.internal.restrack.Life.State;
import ib.core.serial.Serial;
import ib.core.verbs.EventHandler;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The record of one object, and of one client's handle on a device (kind DEVICE). */
public final class ObjectRecord implements ObjectControl {
  private final Owner owner;
  private final Kind kind;
  private final long id;

  /** The objects that this one uses. */
  final List<ObjectRecord> uses;

  final Origin origin = Origin.here();
  final Life life;
  private final Holdings holdings;
  private final @Nullable ObjectEvents events;
  private volatile @Nullable Serial completions;
  private volatile @Nullable EventHandler eventHandler;
  private volatile @Nullable IbObject self;
  private volatile @Nullable Runnable destroyer;
  private volatile @Nullable Thread busyWith; // the thread that makes or destroys it
  private volatile int qpn = -1; // kept: a label is read when the driver's object may be gone (B9)

  ObjectRecord(Owner owner, Kind kind, List<ObjectRecord> uses) {
    this.owner = owner;
    this.kind = kind;
    this.uses = uses;
    this.life = new Life(kind == Kind.DEVICE ? State.LIVE : State.RESERVED);
    this.id = kind == Kind.DEVICE ? owner.device.info().index() : owner.table.newId(kind);
    boolean raises = kind == Kind.CQ || kind == Kind.QP || kind == Kind.SRQ;
    this.holdings = new Holdings(owner.account);
    ObjectTable t = owner.table;
    this.busyWith = kind == Kind.DEVICE ? null : Thread.currentThread();
    this.events = raises ? new ObjectEvents(t.contract, t.vectors, t.mirror) : null;
  }

  // ---- what it is ----

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public IbDevice device() {
    return owner.device;
  }

  @Override
  public String owner() {
    return owner.client();
  }

  Owner ownership() {
    return owner;
  }

  /** {@return the object's name, for example {@code QP 17 (qpn 0x4df286)}} */
  String label() {
    String name = kind + " " + id;
    return qpn < 0 ? name : name + " (qpn 0x" + Integer.toHexString(qpn) + ")";
  }

  @Override
  public String toString() {
    return kind == Kind.DEVICE ? device().name() : kind + " " + id + " of " + device().name();
  }

  // ---- entering ----

  @Override
  public void enter(String method) {
    owner.table.contract.requireMaySleep(owner.client(), this, method);
    enterAnyContext(method);
    PlantedFault fault = owner.fault;
    if (fault != null) {
      fault.step(this + "." + method);
    }
  }

  @Override
  public void enterAnyContext(String method) {
    State s = life.state();
    if (s != State.LIVE || owner.poisoned()) {
      throw refusal(s, method);
    }
  }

  RuntimeException refusal(State s, String method) {
    String what = this + "." + method;
    if (s == State.POISONED || owner.poisoned()) {
      if (owner.gone()) {
        String text = what + " was called after the client was removed";
        owner.table.contract.report("S32", owner.client(), text, List.of());
      }
      return new IbDisassociatedException(
          what,
          "client " + owner.client() + " is no longer bound to " + device().name(),
          "let go of everything made through the device when IbClient.remove is called");
    }
    return new IbInvalidException(what, "the object is " + s, "an object that is not closed");
  }

  @Override
  public void broken(String clause, String what, String instead) {
    String text = this + " " + what;
    owner.table.contract.report(
        new Violation(clause, owner.client(), text, instead, Stacks.here(), List.of()));
  }

  // ---- references ----

  @Override
  public ObjectControl child(Kind childKind, IbObject... used) {
    enterAnyContext("create " + childKind);
    List<ObjectRecord> taken = new ArrayList<>(used.length);
    ObjectRecord child = null;
    try {
      for (IbObject u : used) {
        taken.add(use(u, childKind));
      }
      child = owner.admit(childKind, List.copyOf(taken));
      return child;
    } finally {
      if (child == null) {
        taken.forEach(b -> b.life.unuse());
      }
    }
  }

  private ObjectRecord use(@Nullable IbObject object, Kind childKind) {
    String what = this + ".create " + childKind;
    if (object == null || !(object.control() instanceof ObjectRecord b)) {
      throw new IbInvalidException(
          what, object + " was not made by this core", "objects of this device");
    }
    if (!b.owner.equals(owner)) {
      boolean foreignDevice = !b.owner.table.equals(owner.table);
      throw new IbInvalidException(
          what,
          b
              + (foreignDevice
                  ? " belongs to another device"
                  : " belongs to client " + b.owner.client()),
          "objects made through the same handle");
    }
    if (!b.life.use()) {
      throw b.refusal(b.life.state(), "use for " + childKind);
    }
    return b;
  }

  @Override
  public long grow(Amount what, long amount) {
    return holdings.grow(what, amount);
  }

  @Override
  public void settle(Amount what, long amount) {
    holdings.settle(what, amount);
  }

  long pdn() {
    for (ObjectRecord b : uses) {
      if (b.kind == Kind.PD) {
        return b.id;
      }
    }
    return 0;
  }

  @Override
  public int useCount() {
    return kind == Kind.DEVICE ? owner.live() : life.users();
  }

  @Override
  public List<IbObject> users() {
    List<IbObject> users = new ArrayList<>();
    userRecords()
        .forEach(
            b -> {
              IbObject o = b.self;
              if (o != null) {
                users.add(o);
              }
            });
    return users;
  }

  List<ObjectRecord> userRecords() {
    return kind == Kind.DEVICE
        ? owner.table.records().filter(b -> b.owner.equals(owner)).toList()
        : owner.table.usersOf(this).toList();
  }

  @Override
  public boolean isLive() {
    return life.state() == State.LIVE && !owner.poisoned();
  }

  // ---- birth ----

  @Override
  public void publish(IbObject object, Runnable destroy) {
    self = object;
    qpn = object instanceof QueuePair qp ? qp.qpn() : -1;
    destroyer = destroy;
    // One look decides. Without the client's end before it, the object is the client's, and a sweep
    // that comes from here on finds it and calls it a leak; else it is refused, and is none.
    boolean revoked = owner.poisoned();
    boolean mine = life.go(State.RESERVED, revoked ? State.CLOSING : State.LIVE);
    busyWith = null;
    if (!mine) { // the cleanup stopped waiting for the driver
      new Destruction(this).late();
    } else if (revoked) {
      new Destruction(this).revoked();
    } else if (events != null) {
      events.open(eventHandler, ObjectEvents.contextOf(object));
    }
    if (!mine || revoked) {
      throw refusal(State.POISONED, "create");
    }
  }

  @Override
  public void abort() {
    life.go(State.RESERVED, State.CLOSED); // or POISONED already
    busyWith = null;
    release();
  }

  // ---- callbacks ----

  /**
   * Makes the task that runs the handler of this completion queue end with the queue.
   *
   * @param task the task, or null
   */
  public void completions(@Nullable Serial task) {
    completions = task;
  }

  @Override
  public @Nullable EventHandler guard(@Nullable EventHandler handler) {
    ObjectEvents e = events;
    if (handler == null || e == null) {
      return handler;
    }
    eventHandler = handler;
    return new GuardedEventHandler(e, owner.table.contract, owner.table.driver);
  }

  @Override
  public void raise(IbEvent event) {
    ObjectEvents e = events;
    if (e == null) {
      throw new IllegalStateException(this + " has no events: " + event.type());
    }
    e.raise(event);
  }

  // ---- death ----

  @Override
  public void destroy() {
    new Destruction(this).close();
  }

  /** Tells the thread that makes or destroys the object, if there is one. */
  void busy(Consumer<? super Thread> to) {
    Thread t = busyWith;
    if (t != null) {
      to.accept(t);
    }
  }

  /** Destroys the object of a client that is gone, used or not; {@return whether it is gone}. */
  boolean destroyForced() {
    return new Destruction(this).force();
  }

  void busyWith(@Nullable Thread thread) {
    busyWith = thread;
  }

  @Nullable Runnable takeDestroyer() {
    return destroyer;
  }

  /** The tasks that run its callbacks. */
  List<Serial> tasks() {
    List<Serial> tasks = new ArrayList<>(2);
    Serial c = completions;
    if (c != null) {
      tasks.add(c);
    }
    if (events != null) {
      tasks.add(events);
    }
    return tasks;
  }

  /** Leaves the table and the accounts, and gives the references back. */
  void release() {
    owner.table.remove(this);
    holdings.end();
    owner.gone(kind);
    uses.forEach(b -> b.life.unuse());
  }

  // ---- introspection (Details) ----

  @Nullable IbObject self() {
    return self;
  }
}
