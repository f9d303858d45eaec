package ib.kit;

import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.ResourceRecord;
import ib.core.client.Violation;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** One run of one case: what it makes, and the checks that every case ends with. */
final class Trial implements AutoCloseable {
  static final String OWNER = "ib.kit";

  private final Case what;
  final Bench bench;
  private final Deque<AutoCloseable> things = new ArrayDeque<>();
  private final Deque<AutoCloseable> holds = new ArrayDeque<>();
  private final List<IbDevice> leased = new ArrayList<>();
  private final Set<String> tolerated = new HashSet<>();
  private final List<Violation> before;
  private final List<String> missing = new ArrayList<>();
  private boolean closed;

  Trial(Case what, Bench bench) {
    this.what = what;
    this.bench = bench;
    this.before = bench.core().violations();
  }

  String name(int device) {
    return bench.devices().get(device);
  }

  /** The first device, held until the case is over. */
  IbDevice left() {
    return device(0);
  }

  /** The second device, held until the case is over. */
  IbDevice right() {
    return device(1);
  }

  /** The name under which leases are taken: of this case alone, since reports tell things once. */
  String holder() {
    return OWNER + " " + what.id();
  }

  private IbDevice device(int index) {
    while (leased.size() <= index) {
      DeviceLease lease = bench.core().lease(name(leased.size()), holder());
      holds.push(lease);
      leased.add(lease.device());
    }
    return leased.get(index);
  }

  /** Registers a client for the time of the case. */
  ClientRegistration client(IbClient client) {
    ClientRegistration registration = bench.core().registerClient(client);
    holds.push(registration::unregister);
    return registration;
  }

  /** Registers a client of the second device only, which does this in its add and its remove. */
  ClientRegistration client(String name, Consumer<IbDevice> add, Consumer<IbDevice> remove) {
    return client(new Puppet(name, name(1), add, remove));
  }

  /** Closes something when the case is over, the last first. */
  <T extends AutoCloseable> T later(T thing) {
    things.push(thing);
    return thing;
  }

  /** One end on a device, closed when the case is over. */
  End end(IbDevice device, Shape shape) {
    return later(new End(device, shape, bench));
  }

  /** One end with completion queues of the caller's making, closed when the case is over. */
  End end(
      IbDevice device,
      Shape shape,
      @Nullable CompletionQueue sends,
      @Nullable CompletionQueue receives) {
    return later(new End(device, shape, bench.path(device, device), sends, receives));
  }

  /** Two ends that are connected, on the two devices. */
  Pair pair(Shape shape) {
    return pair(left(), right(), shape);
  }

  Pair pair(IbDevice a, IbDevice b, Shape shape) {
    Shape s = bench.lossless() ? shape : shape.impatient();
    return new Pair(end(a, s), end(b, s)).connect(bench);
  }

  /** A part of this trial with things of its own, on the same devices. */
  Trial inner() {
    left();
    right();
    Trial inner = new Trial(what, bench);
    inner.leased.addAll(leased);
    return inner;
  }

  /** Expects a violation of this clause, which the case provokes. */
  void tolerate(String clause) {
    tolerated.add(clause);
  }

  /** Skips the case, by name, unless this holds. */
  void assume(boolean possible, String missing) {
    Assumptions.assumeTrue(possible, () -> missing + ": " + what.title());
  }

  /**
   * {@return the event, when the devices of the bench raise it} Else null: the case goes on without
   * it, and is skipped, by name, when all else holds.
   */
  @Nullable EventType raised(EventType type) {
    if (bench.raises(type)) {
      return type;
    }
    missing.add("all holds but that the devices raise no " + type);
    return null;
  }

  /** Skips the case, by name, where a region has one number for both keys, as on rdma_rxe. */
  void twoKeys(MemoryRegion mr) {
    assume(mr.lkey() != mr.rkey(), "the device has one number for the local and the remote key");
  }

  /**
   * Closes an arena under a region that is closed later. A driver may refuse that, which skips the
   * case by name.
   */
  void close(Arena arena) {
    try {
      arena.close();
    } catch (IllegalStateException e) {
      holds.push(arena); // closed behind the region
      assume(false, "the driver lets no arena be closed under a region: " + e.getMessage());
    }
  }

  /** Checks what must hold at the end of every case that has passed so far. */
  void settled() {
    release();
    List<String> left =
        bench.core().resources().stream()
            .filter(r -> r.owner().startsWith(OWNER))
            .map(ResourceRecord::toString)
            .toList();
    Assertions.assertEquals(List.of(), left, "everything is closed, nothing is left behind (S32)");
    List<Violation> found = new ArrayList<>(bench.core().violations());
    found.removeAll(before);
    found.removeIf(v -> tolerated.contains(v.clause()) || leftOnPurpose(v));
    Assertions.assertEquals(List.of(), found, "no clause of the contract was broken");
    assume(missing.isEmpty(), String.join(", ", missing));
  }

  /** {@return whether a client of the kit broke a clause, to see what the driver does then} */
  private static boolean leftOnPurpose(Violation v) {
    boolean left = v.text().startsWith("left ") || v.text().endsWith(" the client was removed");
    return v.clause().equals("S32") && v.culprit().startsWith(OWNER) && left;
  }

  private void release() {
    if (closed) {
      return;
    }
    closed = true;
    List<Throwable> failed = new ArrayList<>();
    closeAll(things, failed);
    closeAll(holds, failed);
    if (!failed.isEmpty()) {
      AssertionError e = new AssertionError("cleaning up: " + failed.getFirst(), failed.getFirst());
      failed.stream().skip(1).forEach(e::addSuppressed);
      throw e;
    }
  }

  private static void closeAll(Deque<AutoCloseable> all, List<Throwable> failed) {
    while (!all.isEmpty()) {
      try {
        all.pop().close();
      } catch (Exception | AssertionError e) {
        failed.add(e);
      }
    }
  }

  @Override
  public void close() {
    release();
  }
}
