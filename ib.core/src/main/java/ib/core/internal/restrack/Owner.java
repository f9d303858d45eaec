package ib.core.internal.restrack;

import ib.core.client.LeakRecord;
import ib.core.internal.callback.Stacks;
import ib.core.internal.restrack.Life.State;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that one client has made through its handle on one device (D2). */
public final class Owner {
  /**
   * How long a sweep waits for one driver call or callback of the client: 10 s, as the watchdog.
   */
  public static final long GRACE_NS = TimeUnit.SECONDS.toNanos(10);

  /** Users before what they use. */
  private static final List<Kind> TEARDOWN =
      List.of(Kind.QP, Kind.MW, Kind.SRQ, Kind.AH, Kind.MR, Kind.CQ, Kind.PD);

  private final String client;
  final IbDevice device;
  final ObjectTable table;
  final long graceNs;
  private final AtomicInteger live = new AtomicInteger();
  private final Queue<Loan> loans = new ConcurrentLinkedQueue<>();
  private final Queue<Waits.Target> owed = new ConcurrentLinkedQueue<>();
  final Account account;
  private final ObjectRecord handle;

  /** The call that is planted to fail, or null. */
  final @Nullable PlantedFault fault;

  private volatile boolean poisoned;
  private volatile boolean gone;

  /**
   * A client's account on a device.
   *
   * @param client the client's name, or the lease holder's
   * @param device the client's handle; its identity must be known already
   * @param table the device's objects
   * @param graceNs how long {@link #sweep} waits for one driver call or callback, nanoseconds
   */
  public Owner(String client, IbDevice device, ObjectTable table, long graceNs) {
    this.client = client;
    this.device = device;
    this.table = table;
    this.graceNs = graceNs;
    this.account = new Account("client " + client + " on " + device.name(), table.quotas);
    this.handle = new ObjectRecord(this, Kind.DEVICE, List.of());
    this.fault = PlantedFault.of(client);
  }

  /** {@return the record of the handle itself} */
  public ObjectControl handle() {
    return handle;
  }

  /** {@return the client's name} */
  public String client() {
    return client;
  }

  /** {@return how many objects there are, those being made or closed included} */
  @AnyContext
  public int live() {
    return live.get();
  }

  /** {@return what there is, for example {@code QP 17 (qpn 0x4df286)}} */
  @AnyContext
  public List<String> held() {
    return Stream.concat(records().map(ObjectRecord::label), loans.stream().map(Loan::label))
        .toList();
  }

  boolean poisoned() {
    return poisoned;
  }

  /** {@return whether the client was removed, and all that it had made is gone} */
  boolean gone() {
    return gone;
  }

  private Stream<ObjectRecord> records() {
    return table.records().filter(b -> b.ownership().equals(this));
  }

  /**
   * Makes and enters a new record, unless the account is closed or full; the sweep sees it or it
   * sees the sweep.
   */
  ObjectRecord admit(Kind kind, List<ObjectRecord> uses) {
    account.take(Quota.of(kind), 1);
    live.incrementAndGet();
    ObjectRecord record = null;
    boolean entered = false;
    try {
      record = new ObjectRecord(this, kind, uses);
      table.add(record);
      entered = true;
    } finally {
      if (!entered) { // no memory for it
        gone(kind);
      }
    }
    if (poisoned) {
      table.remove(record);
      gone(kind);
      throw new IbDisassociatedException(
          "create " + record.kind() + " on " + device.name(),
          "client " + client + " is no longer bound to it",
          "stop all work before IbClient.remove returns");
    }
    return record;
  }

  void gone(Kind kind) {
    live.decrementAndGet();
    account.add(Quota.of(kind), -1);
  }

  /**
   * Does what ends in {@link #lent}, if the client may have one thing more.
   *
   * @param work registers the thing
   * @param <T> type of the thing
   * @return the thing
   */
  @MaySleep
  public <T> T lending(Supplier<T> work) {
    account.take(Quota.HANDLERS, 1);
    boolean done = false;
    try {
      T thing = work.get();
      done = true;
      return thing;
    } finally {
      if (!done) {
        account.add(Quota.HANDLERS, -1);
      }
    }
  }

  /**
   * Notes something else that the client has on the device, such as a handler.
   *
   * @param thing what
   * @param label how reports name it
   */
  @AnyContext
  public void lent(Object thing, String label) {
    loans.add(new Loan(thing, label, Origin.here()));
  }

  /**
   * Forgets what was noted.
   *
   * @param thing what
   */
  @AnyContext
  public void returned(Object thing) {
    loans.removeIf(l -> l.is(thing) && back());
  }

  private boolean back() {
    account.add(Quota.HANDLERS, -1);
    return true;
  }

  /**
   * Notes a fence that was deferred: what it would have waited for is waited for by {@link #sweep}.
   *
   * @param fence what runs still
   */
  @AnyContext
  public void owes(Waits.Target fence) {
    owed.removeIf(Waits.Target::over);
    owed.add(fence);
  }

  /** Refuses new objects through the handle, as {@link #sweep} does. */
  @AnyContext
  public void poison() {
    poisoned = true;
  }

  /**
   * Closes the account: from now on nothing can be made, and the control path of what there is
   * throws {@link IbDisassociatedException}. What is left is destroyed, users first, with its
   * callbacks fenced, those included whose fence was deferred (I4).
   *
   * @return what was left (CC-20), as plain text
   */
  @MaySleep
  @Fence
  public List<LeakRecord> sweep() {
    poison();
    table.waits().await(new Making(this), Waits.Rank.CLOSES, graceNs);
    List<ObjectRecord> left = records().toList();
    List<ObjectRecord> leaked = new ArrayList<>();
    Report report = new Report(this);
    for (Loan l = loans.poll(); l != null; l = loans.poll()) {
      report.leak(l.label(), l.origin(), List.of());
    }
    Map<ObjectRecord, List<ObjectRecord>> users = left.isEmpty() ? Map.of() : table.usersOfAll();
    for (ObjectRecord record : left) {
      // one that is closing or closed is no leak: its owner closes it on another thread, or it was
      // refused because the client had gone
      if (record.life.state().compareTo(State.CLOSING) < 0) {
        leaked.add(record);
        report.leak(record, users.getOrDefault(record, List.of()));
      }
    }
    for (Kind kind : TEARDOWN) {
      for (ObjectRecord record : left) {
        if (record.kind() == kind && !record.destroyForced() && !leaked.contains(record)) {
          report.leak(record, record.userRecords());
        }
      }
    }
    for (Waits.Target t = owed.poll(); t != null; t = owed.poll()) {
      pay(t);
    }
    gone = true;
    return report.leaks;
  }

  private void pay(Waits.Target fence) {
    End end = table.waits().await(fence, Waits.Rank.CLOSES, graceNs);
    if (!end.done()) {
      List<String> running = new ArrayList<>();
      fence.holders(t -> running.addAll(Stacks.of(t)));
      String text = fence.text() + " of " + client + " has not returned when all was closed";
      table.contract.report("I4", client, text, running);
    }
  }

  /** Objects that the client is just making. */
  private record Making(Owner owner) implements Waits.Target {
    private Stream<ObjectRecord> reserved() {
      return owner.records().filter(b -> b.life.state() == State.RESERVED);
    }

    @Override
    public boolean over() {
      return reserved().findAny().isEmpty();
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      reserved().forEach(b -> b.busy(to));
    }

    @Override
    public String text() {
      return "objects that " + owner.client + " is just making on " + owner.device.name();
    }
  }

  /** The leaks that a sweep has found; only the thread that sweeps uses this report. */
  private static final class Report {
    private final Owner owner;
    private final List<LeakRecord> leaks = new ArrayList<>();
    private final Origin.Texts stacks = new Origin.Texts();

    Report(Owner owner) {
      this.owner = owner;
    }

    void leak(ObjectRecord record, List<ObjectRecord> users) {
      leak(record.label(), record.origin, users.stream().map(ObjectRecord::label).toList());
    }

    void leak(String label, Origin o, List<String> pinnedBy) {
      List<String> stack = stacks.of(o);
      String device = owner.device.name();
      leaks.add(new LeakRecord(owner.client, device, label, o.ageNs(), o.thread, stack, pinnedBy));
    }
  }

  private record Loan(Object thing, String label, Origin origin) {
    @SuppressWarnings("ReferenceEquality") // the thing itself, whatever it says it equals
    boolean is(Object other) {
      return thing == other;
    }
  }
}
