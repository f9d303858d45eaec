package ib.ulp.ipoib.testing;

import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.NoSubnetManagerException;
import ib.core.sa.Notice;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaException;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMulticast;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.sa.SaSubscription;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.Mtu;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A subnet administrator that answers on a thread of its own, or holds its answers, or refuses; in
 * place of the real one.
 */
public final class FakeSubnet implements AutoCloseable {
  public static final int QKEY = 0x0b1b;
  private final @Nullable ExecutorService thread;
  private final Executor answers;
  private final Map<Gid, Integer> mlids = new HashMap<>(); // under this
  private final List<Runnable> held = new ArrayList<>(); // under this
  private final List<Client> clients = new CopyOnWriteArrayList<>();

  /** Every request that was made, in words. */
  public final List<String> log = new CopyOnWriteArrayList<>();

  public volatile Mtu mtu = Mtu.MTU_2048;
  public volatile int rate = 2; // 2.5 Gb/s
  public volatile int mlidCap = Integer.MAX_VALUE;
  public volatile boolean dead;
  public volatile boolean sendOnly = true;
  public volatile Predicate<Gid> refuse = group -> false;

  /** Runs while a side is closed, which is a fence. */
  public volatile Runnable closing = () -> {};

  private boolean holding;
  private final Map<Integer, List<Consumer<Notice>>> subscribers = new ConcurrentHashMap<>();
  private final Set<Gid> forgotten = ConcurrentHashMap.newKeySet();
  private final Set<Gid> existing = ConcurrentHashMap.newKeySet();

  /** Answers on a thread of its own. */
  public FakeSubnet() {
    ExecutorService own = Executors.newSingleThreadExecutor();
    thread = own;
    answers =
        task -> {
          if (!own.isShutdown()) {
            own.execute(task);
          }
        };
  }

  /** Answers where it is asked: for tests that run everything on one thread. */
  public FakeSubnet(Executor answers) {
    thread = null;
    this.answers = answers;
  }

  /** Opens the side of one port. */
  public SaClient open(IbDevice device, int port) {
    Client client = new Client(device, port);
    clients.add(client);
    return client;
  }

  /** From now on answers are held back; release lets them go. */
  public synchronized void hold() {
    holding = true;
  }

  public synchronized void release() {
    holding = false;
    held.forEach(answers::execute);
    held.clear();
  }

  private synchronized void answer(Runnable task) {
    if (holding) {
      held.add(task);
    } else {
      answers.execute(task);
    }
  }

  /** All memberships of all ports are forgotten and made again, as after a new subnet manager. */
  public void reregister() {
    clients.forEach(client -> client.memberships.forEach(Membership::lose));
  }

  /** Forgets all members of a group, and says nothing. */
  public void forget(Gid group) {
    forgotten.add(group);
  }

  /** Somebody else makes a group, or the last full member leaves it: those who asked hear of it. */
  public void exists(Gid group, boolean there) {
    if (there ? existing.add(group) : existing.remove(group)) {
      Notice notice = new Notice();
      int trap = there ? Notice.TRAP_MCG_CREATED : Notice.TRAP_MCG_DELETED;
      notice.set(Notice.Field.TRAP_NUMBER, trap).detailsGid(group);
      subscribers.getOrDefault(trap, List.of()).forEach(s -> answer(() -> s.accept(notice)));
    }
  }

  public long subscriptions() {
    return subscribers.values().stream().mapToLong(List::size).sum();
  }

  public long memberships() {
    return clients.stream().mapToLong(c -> c.memberships.size()).sum();
  }

  public long openClients() {
    return clients.stream().filter(c -> !c.closed).count();
  }

  private synchronized boolean full(Gid group) {
    return mlids.size() >= mlidCap && !mlids.containsKey(group);
  }

  private synchronized int mlid(Gid group) {
    return mlids.computeIfAbsent(group, g -> 0xc000 + mlids.size());
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }

  private static int lid(Gid gid, List<Client> all) {
    for (Client client : all) {
      if (client.device.gid(client.port, 0).equals(gid)) {
        return client.device.port(client.port).lid();
      }
    }
    return 0;
  }

  private final class Client implements SaClient, SaMulticast {
    final IbDevice device;
    final int port;
    final List<Membership> memberships = new CopyOnWriteArrayList<>();
    volatile boolean closed;

    Client(IbDevice device, int port) {
      this.device = device;
      this.port = port;
    }

    @Override
    public IbDevice device() {
      return device;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public boolean reachable() {
      return !dead;
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query, int timeoutMs) {
      CompletableFuture<S> future = new CompletableFuture<>();
      if ((Object) query instanceof McMemberRecord member) {
        answer(() -> known(member, query, future));
        return future;
      }
      PathRecord asked = (PathRecord) (Object) query;
      Gid dgid = asked.gid(PathRecord.Field.DGID);
      log.add("path " + dgid);
      answer(
          () -> {
            int lid = lid(dgid, clients);
            if (dead) {
              return; // silence
            } else if (lid == 0) {
              future.completeExceptionally(new SaException("path to " + dgid, 0x0300));
            } else {
              asked.set(PathRecord.Field.DLID, lid);
              future.complete(query);
            }
          });
      return future;
    }

    /** Of a membership of this port. */
    private <S> void known(McMemberRecord asked, S query, CompletableFuture<S> future) {
      Gid group = asked.gid(Field.MGID);
      log.add("member " + group);
      Membership its =
          memberships.stream()
              .filter(m -> m.request.gid(Field.MGID).equals(group) && !forgotten.contains(group))
              .findFirst()
              .orElse(null);
      if (dead) {
        return; // silence
      } else if (its == null) {
        future.completeExceptionally(new SaException("member of " + group, 0x0300));
      } else {
        int state = its.request.value(Field.JOIN_STATE);
        asked.set(Field.MLID, mlid(group)).set(Field.JOIN_STATE, state);
        future.complete(query);
      }
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<List<S>> getTable(S query, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<S> set(S record, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<S> delete(S record, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<ClassPortInfo> classPortInfo() {
      ClassPortInfo info = new ClassPortInfo();
      int mask = sendOnly ? ClassPortInfo.SA_SEND_ONLY_FULL_MEMBER : 0;
      info.set(ClassPortInfo.Field.CAPABILITY_MASK2, mask);
      var none = new NoSubnetManagerException("ClassPortInfo", "dead");
      return dead ? CompletableFuture.failedFuture(none) : CompletableFuture.completedFuture(info);
    }

    @Override
    public SaSubscription subscribe(int trapNumber, Consumer<Notice> reports) {
      log.add("subscribe " + trapNumber);
      List<Consumer<Notice>> all =
          subscribers.computeIfAbsent(trapNumber, t -> new CopyOnWriteArrayList<>());
      all.add(reports);
      return new SaSubscription() {
        @Override
        public CompletableFuture<Void> confirmed() {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {
          all.remove(reports);
        }
      };
    }

    @Override
    public SaMulticast multicast() {
      return this;
    }

    @Override
    public SaMembership join(McMemberRecord request, SaMembership.Listener listener) {
      Gid group = request.gid(Field.MGID);
      log.add("join " + group + " state " + request.value(Field.JOIN_STATE));
      var membership = new Membership(this, request, listener);
      memberships.add(membership);
      answer(membership::decide);
      return membership;
    }

    @Override
    public SaMembership join(McMemberRecord request, Gid like, SaMembership.Listener listener) {
      log.add("like " + like);
      return join(request, listener);
    }

    @Override
    public CompletableFuture<Boolean> joinedByOthers(Gid mgid) {
      CompletableFuture<Boolean> future = new CompletableFuture<>();
      answer(
          () ->
              future.complete(
                  clients.stream()
                      .filter(c -> c != this && c.device.name().equals(device.name()))
                      .flatMap(c -> c.memberships.stream())
                      .anyMatch(m -> m.request.gid(Field.MGID).equals(mgid))));
      return future;
    }

    @Override
    public void close() {
      closing.run();
      closed = true;
      memberships.clear();
    }
  }

  private final class Membership implements SaMembership {
    private final Client client;
    private final McMemberRecord request;
    private final Listener listener;
    private volatile McMemberRecord record;
    private volatile State state = State.JOINING;

    Membership(Client client, McMemberRecord request, Listener listener) {
      this.client = client;
      this.request = request;
      this.listener = listener;
      this.record = request;
    }

    void decide() {
      Gid group = request.gid(Field.MGID);
      if (dead || state == State.CLOSED) {
        return;
      }
      forgotten.remove(group);
      boolean nonMember = request.value(Field.JOIN_STATE) == McMemberRecord.SEND_ONLY_NON_MEMBER;
      if (refuse.test(group) || nonMember && !existing.contains(group)) {
        tell(State.REFUSED, new SaException("join of " + group, 0x0200));
        return;
      }
      if (full(group)) {
        tell(State.REFUSED, new SaException("join of " + group, SaStatus.NO_RESOURCES.value()));
        return;
      }
      record =
          new McMemberRecord()
              .set(Field.MGID, group)
              .set(Field.MLID, mlid(group))
              .set(Field.QKEY, QKEY)
              .set(Field.MTU, mtu.value())
              .set(Field.RATE, rate)
              .set(Field.PKEY, request.value(Field.PKEY))
              .set(Field.JOIN_STATE, request.value(Field.JOIN_STATE));
      tell(State.MEMBER, null);
    }

    void lose() {
      answer(
          () -> {
            tell(State.LOST, new NoSubnetManagerException("membership", "a new subnet manager"));
            decide();
          });
    }

    private void tell(State to, IbException why) {
      if (state != State.CLOSED) {
        state = to;
        listener.changed(this, to, why);
      }
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public McMemberRecord record() {
      return record;
    }

    @Override
    public void renew() {
      log.add("renew " + request.gid(Field.MGID));
      lose();
    }

    @Override
    public void close() {
      state = State.CLOSED;
      log.add("leave " + request.gid(Field.MGID));
      client.memberships.remove(this);
    }
  }
}
