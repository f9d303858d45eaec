package ib.core.internal.restrack;

import ib.core.client.ResourceRecord;
import ib.core.internal.callback.CompletionVectors;
import ib.core.internal.callback.Contract;
import ib.core.internal.callback.EventMirror;
import ib.core.internal.waits.WaitGraph;
import ib.core.verbs.AnyContext;
import ib.core.verbs.ObjectControl.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All objects of one device, of all clients: numbers, counts, introspection. Lock-free. */
public final class ObjectTable {
  private static final int KINDS = Kind.values().length;

  final String driver;
  final Contract contract;
  final CompletionVectors vectors;
  final EventMirror mirror;
  final Supplier<Quotas> quotas;
  private final WaitGraph waits;
  private final AtomicLongArray nextId = new AtomicLongArray(KINDS);
  private final AtomicIntegerArray live = new AtomicIntegerArray(KINDS);
  private final NavigableSet<ObjectRecord> records =
      new ConcurrentSkipListSet<>(
          Comparator.comparing(ObjectRecord::kind).thenComparingLong(ObjectRecord::id));

  /**
   * An empty table.
   *
   * @param driver the driver's name, for reports
   * @param contract where violations are reported
   * @param vectors the device's threads
   * @param mirror who hears events of objects too
   * @param quotas what a client may have now
   * @param waits who waits for whom
   */
  public ObjectTable(
      String driver,
      Contract contract,
      CompletionVectors vectors,
      EventMirror mirror,
      Supplier<Quotas> quotas,
      WaitGraph waits) {
    this.driver = driver;
    this.contract = contract;
    this.vectors = vectors;
    this.mirror = mirror;
    this.quotas = quotas;
    this.waits = waits;
  }

  /** {@return who waits for whom} */
  public WaitGraph waits() {
    return waits;
  }

  long newId(Kind kind) {
    return nextId.getAndIncrement(kind.ordinal());
  }

  void add(ObjectRecord record) {
    records.add(record);
    live.incrementAndGet(record.kind().ordinal());
  }

  void remove(ObjectRecord record) {
    if (records.remove(record)) {
      live.decrementAndGet(record.kind().ordinal());
    }
  }

  /** Every object that is not gone yet, also one being made or being closed. */
  Stream<ObjectRecord> records() {
    return records.stream();
  }

  Stream<ObjectRecord> usersOf(ObjectRecord used) {
    return records.stream().filter(b -> b.uses.contains(used));
  }

  /**
   * {@return the users of each object that has some, found by one look at all objects; a report of
   * many objects needs them all. A queue pair is named once, also where it uses a completion queue
   * for both its directions}
   */
  Map<ObjectRecord, List<ObjectRecord>> usersOfAll() {
    Map<ObjectRecord, List<ObjectRecord>> users = new HashMap<>();
    for (ObjectRecord user : records) {
      for (ObjectRecord used : Set.copyOf(user.uses)) {
        users.computeIfAbsent(used, r -> new ArrayList<>()).add(user);
      }
    }
    return users;
  }

  /**
   * How many objects there are now, those being made or closed included.
   *
   * @param kind of which kind
   * @return the number
   */
  @AnyContext
  public int live(Kind kind) {
    return live.get(kind.ordinal());
  }

  /** {@return how many objects there are now, of all kinds} */
  @AnyContext
  public int live() {
    int n = 0;
    for (int i = 0; i < KINDS; i++) {
      n += live.get(i);
    }
    return n;
  }

  /**
   * {@return all live objects by kind and number; an object is not destroyed while it is looked at
   * (B9)}
   */
  @AnyContext
  public List<ResourceRecord> resources() {
    return records.stream().map(Details::record).filter(Objects::nonNull).toList();
  }
}
