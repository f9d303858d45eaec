package ib.core.internal.sa;

import ib.core.internal.device.BoundDevice;
import ib.core.internal.mad.Agent;
import ib.core.internal.mad.Pending;
import ib.core.mad.MadMethod;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.Notice;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMulticast;
import ib.core.sa.SaRecord;
import ib.core.sa.SaSubscription;
import ib.core.verbs.Gid;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One client's way to the subnet administrator; its agent is its account of transactions. */
final class Session implements SaClient, SaMulticast {
  private final BoundDevice owner;
  private final SaPort port;
  private final Agent agent;
  private final Consumer<Session> ended;
  private final Set<Membership> memberships = ConcurrentHashMap.newKeySet();
  private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<Boolean>> questions = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  Session(BoundDevice owner, SaPort port, Agent agent, Consumer<Session> ended) {
    this.owner = owner;
    this.port = port;
    this.agent = agent;
    this.ended = ended;
  }

  boolean belongsTo(IbDevice device) {
    return device.equals(owner);
  }

  Executor callbacks() {
    return agent.callbacks();
  }

  @Override
  public IbDevice device() {
    return owner;
  }

  @Override
  public int port() {
    return port.number;
  }

  @Override
  public boolean reachable() {
    return port.reachable();
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query, int timeoutMs) {
    return Query.one(agent, port.world, MadMethod.GET, query, timeoutMs);
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<List<S>> getTable(S query, int timeoutMs) {
    return Query.table(agent, port.world, query, timeoutMs);
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> set(S record, int timeoutMs) {
    return Query.one(agent, port.world, MadMethod.SET, record, timeoutMs);
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> delete(S record, int timeoutMs) {
    return Query.one(agent, port.world, MadMethod.DELETE, record, timeoutMs);
  }

  @Override
  public CompletableFuture<ClassPortInfo> classPortInfo() {
    ClassPortInfo known = port.known();
    if (known != null) {
      CompletableFuture<ClassPortInfo> result = new CompletableFuture<>();
      callbacks().execute(() -> result.complete(known));
      return result;
    }
    CompletableFuture<ClassPortInfo> asked = get(new ClassPortInfo());
    Pending<ClassPortInfo> result = new Pending<>();
    result.onCancel(() -> asked.cancel(false));
    asked.whenComplete(
        (info, failure) -> {
          if (info == null) {
            result.completeExceptionally(Objects.requireNonNull(failure));
          } else {
            port.known(info); // first: a caller that waits for the result may ask again at once
            result.complete(info);
          }
        });
    return result;
  }

  @Override
  public SaSubscription subscribe(int trapNumber, Consumer<Notice> reports) {
    Subscription s = new Subscription(this, trapNumber, reports);
    open();
    subscriptions.add(s);
    port.run(() -> port.reports(trapNumber).add(s));
    return s;
  }

  private void open() {
    if (closed.get()) {
      throw agent.gone();
    }
  }

  void close(Subscription s) {
    s.end();
    if (subscriptions.remove(s)) {
      port.run(() -> port.reports(s.trap).remove(s));
    }
  }

  @Override
  public SaMulticast multicast() {
    return this;
  }

  @Override
  public SaMembership join(McMemberRecord request, SaMembership.Listener listener) {
    return join(new Membership(this, request, null, listener));
  }

  @Override
  public SaMembership join(McMemberRecord request, Gid like, SaMembership.Listener listener) {
    return join(new Membership(this, request, like, listener));
  }

  private SaMembership join(Membership m) {
    if (m.joinState() == 0 || !m.request.has(McMemberRecord.Field.MGID)) {
      throw new IbInvalidException(
          "join " + m.request,
          "JOIN_STATE or MGID is missing",
          "JOIN_STATE 1, 2, 4 or 8 and the MGID");
    }
    open();
    memberships.add(m);
    port.run(() -> port.group(m.request.gid(McMemberRecord.Field.MGID)).add(m));
    return m;
  }

  @Override
  public CompletableFuture<Boolean> joinedByOthers(Gid mgid) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    open();
    questions.add(answer);
    port.run(
        () -> {
          boolean joined = port.joined(mgid, this);
          callbacks()
              .execute(
                  () -> {
                    questions.remove(answer);
                    answer.complete(joined); // unless the end of the session has answered
                  });
        });
    return answer;
  }

  void renew(Membership m) {
    port.run(
        () -> {
          if (m.state() == SaMembership.State.MEMBER) {
            Group group = port.group(m.request.gid(McMemberRecord.Field.MGID));
            group.forgotten(
                new IbAgainException(
                    "membership of " + m.request.gid(McMemberRecord.Field.MGID),
                    "the subnet administrator has forgotten it",
                    "wait: the core registers again"));
            group.step();
          }
        });
  }

  void close(Membership m) {
    agent.requireMaySleep(m);
    leave(m);
    agent.fence();
  }

  private void leave(Membership m) {
    m.end();
    if (memberships.remove(m)) {
      port.run(() -> port.group(m.request.gid(McMemberRecord.Field.MGID)).remove(m));
    }
  }

  @Override
  public void close() {
    agent.requireMaySleep(this);
    owner.owner().returned(this);
    end();
  }

  /** Closes without a look at whose it is. */
  void end() {
    if (closed.compareAndSet(false, true)) {
      subscriptions.forEach(this::close);
      memberships.forEach(this::leave);
      questions.forEach(q -> callbacks().execute(() -> q.completeExceptionally(agent.gone())));
    }
    agent.end();
    ended.accept(this);
  }

  @Override
  public String toString() {
    return "SA client of " + port.device.name() + "/" + port.number;
  }
}
