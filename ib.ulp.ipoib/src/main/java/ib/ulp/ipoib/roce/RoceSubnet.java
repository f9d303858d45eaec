package ib.ulp.ipoib.roce;

import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.Notice;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.sa.SaMulticast;
import ib.core.sa.SaRecord;
import ib.core.sa.SaSubscription;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.PortState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Answers in place of a subnet administrator, for RoCE ports, which have none: every GID has a
 * path, every group may be joined, and Q_Key and hop limit are fixed. Any thread may call.
 * Listeners are called before {@link #join} returns, on the caller's thread; the listeners of this
 * bundle only queue a task for their loop.
 */
public final class RoceSubnet implements SaClient, SaMulticast {
  /** Q_Key of all groups. */
  static final int QKEY = 0x0b1b;

  private static final int HOP_LIMIT = 64;

  private final IbDevice device;
  private final int port;

  /**
   * Creates the SA client of a port.
   *
   * @param device the client's handle
   * @param port RoCE port, from 1
   */
  public RoceSubnet(IbDevice device, int port) {
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
    return device.port(port).state() == PortState.ACTIVE;
  }

  private int mtu() {
    return device.port(port).activeMtu().value();
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query, int timeoutMs) {
    switch ((SaRecord<?, ?>) query) {
      case PathRecord path ->
          path.set(PathRecord.Field.HOP_LIMIT, HOP_LIMIT).set(PathRecord.Field.MTU, mtu());
      case McMemberRecord member -> {} // answers with the query itself: no membership can be lost
      default -> {
        return refused("get of " + query);
      }
    }
    return CompletableFuture.completedFuture(query);
  }

  private static <T> CompletableFuture<T> refused(String what) {
    return CompletableFuture.failedFuture(
        new IbNotSupportedException(
            what, "RoCE has no subnet administrator", "ask for a path or a group"));
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<List<S>> getTable(S query, int timeoutMs) {
    return refused("getTable");
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> set(S record, int timeoutMs) {
    return refused("set");
  }

  @Override
  public <S extends SaRecord<S, ?>> CompletableFuture<S> delete(S record, int timeoutMs) {
    return refused("delete");
  }

  @Override
  public CompletableFuture<ClassPortInfo> classPortInfo() {
    int sendOnly = ClassPortInfo.SA_SEND_ONLY_FULL_MEMBER;
    return CompletableFuture.completedFuture(
        new ClassPortInfo().set(ClassPortInfo.Field.CAPABILITY_MASK2, sendOnly));
  }

  @Override
  public SaSubscription subscribe(int trapNumber, Consumer<Notice> reports) {
    throw new IbNotSupportedException(
        "subscribe", "RoCE has no subnet administrator", "poll instead");
  }

  @Override
  public SaMulticast multicast() {
    return this;
  }

  @Override
  public SaMembership join(McMemberRecord request, SaMembership.Listener listener) {
    McMemberRecord record =
        new McMemberRecord()
            .set(McMemberRecord.Field.MGID, request.gid(McMemberRecord.Field.MGID))
            .set(McMemberRecord.Field.JOIN_STATE, request.value(McMemberRecord.Field.JOIN_STATE))
            .set(McMemberRecord.Field.PKEY, request.value(McMemberRecord.Field.PKEY))
            .set(McMemberRecord.Field.QKEY, QKEY)
            .set(McMemberRecord.Field.HOP_LIMIT, HOP_LIMIT)
            .set(McMemberRecord.Field.MTU, mtu());
    Membership membership = new Membership(record, listener);
    membership.renew();
    return membership;
  }

  @Override
  public CompletableFuture<Boolean> joinedByOthers(Gid mgid) {
    return CompletableFuture.completedFuture(false); // memberships are not counted
  }

  @Override
  public void close() {
    // there is nothing to release
  }

  private static final class Membership implements SaMembership {
    private final McMemberRecord record;
    private final Listener listener;
    private volatile boolean closed;

    Membership(McMemberRecord record, Listener listener) {
      this.record = record;
      this.listener = listener;
    }

    @Override
    public State state() {
      return closed ? State.CLOSED : State.MEMBER;
    }

    @Override
    public McMemberRecord record() {
      return record;
    }

    @Override
    public void renew() {
      if (!closed) {
        listener.changed(this, State.MEMBER, null);
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
