package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair.
 *
 * <p>Two ways to send. The list form {@link #postSend} is safe from many threads. The builder
 * allocates nothing and copies least: {@code qp.wrStart(); qp.wrId(7).wrFlags(SIGNALED);
 * qp.wrSend(); qp.wrSetSge(lkey, addr, len); … int rc = qp.wrComplete();}; it carries state, so one
 * thread at a time per queue pair. All requests between {@code wrStart} and {@code wrComplete} are
 * posted together or not at all.
 *
 * <p>Posting never blocks: a full queue is {@link PostStatus#QUEUE_FULL} (S6, S7). A request is
 * outstanding until its completion was polled (IBA 10.8.5); an unsignaled one, or one of a shared
 * receive queue, until it is done. So a completion queue with as many entries as the work queues it
 * serves cannot overrun. Every request that was accepted completes exactly once, at the latest
 * flushed; unsignaled ones silently when they succeed.
 */
public abstract non-sealed class QueuePair extends IbObject implements WrBuilder {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final VarHandle GROUPS;

  static {
    try {
      GROUPS = MethodHandles.lookup().findVarHandle(QueuePair.class, "groups", List.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final QpInit init;
  private volatile @Nullable ProtectionDomain pd; // written once, before createQp returns
  private volatile int remoteQpn;
  private volatile int startPsn;
  private volatile int port;
  private volatile List<String> groups = List.of(); // by GROUPS; none of its own before the first

  /**
   * For drivers.
   *
   * @param control the core's book
   * @param init the attributes given at creation
   */
  protected QueuePair(ObjectControl control, QpInit init) {
    super(control);
    this.init = init;
  }

  /** {@return the attributes given at creation, with the capacities that were asked for} */
  public final QpInit init() {
    return init;
  }

  /** {@return the domain that it was made in (S50)} */
  public final ProtectionDomain pd() {
    return Objects.requireNonNull(pd, "a queue pair that is being made");
  }

  final QueuePair in(ProtectionDomain domain) {
    pd = domain;
    return this;
  }

  /** {@return the type} */
  public final QpType type() {
    return init.type();
  }

  /** {@return the queue pair number, 24 bits, random (D9)} */
  @AnyContext
  public abstract int qpn();

  /** {@return the state now} */
  @AnyContext
  public abstract QpState state();

  /** {@return the capacities that the device gave} */
  @AnyContext
  public abstract QpCap cap();

  // ---- list form ----

  /**
   * Posts a list of requests in order, safe from many threads (S6, S13). The requests may be reused
   * at once.
   *
   * @param first head of a list linked by {@link SendWr#next}
   * @return {@link PostStatus#OK}, or a negative {@link PostStatus} and nothing was posted; {@link
   *     SendWr#badWr} of the head names the first one refused
   */
  @AnyContext
  public abstract int postSend(SendWr first);

  /**
   * Posts a list of receives in order, safe from many threads (S7).
   *
   * @param first head of a list linked by {@link RecvWr#next}
   * @return {@link PostStatus#OK}, or a negative {@link PostStatus} and nothing was posted
   */
  @AnyContext
  public abstract int postReceive(RecvWr first);

  /**
   * Posts one receive of one element, safe from many threads.
   *
   * @param wrId returned in the completion
   * @param lkey local key
   * @param address in the region's space, see {@link MemoryRegion#iova}
   * @param length in bytes
   * @return {@link PostStatus#OK} or a negative {@link PostStatus}
   */
  @AnyContext
  public abstract int postReceive(long wrId, int lkey, long address, int length);

  /**
   * Posts one receive of one element with its own callback, safe from many threads. Allocates
   * nothing.
   *
   * @param cqe hears the completion, whose wrId is 0, when the queue that gets it is managed
   *     ({@link CqInit#managed})
   * @param lkey local key
   * @param address in the region's space, see {@link MemoryRegion#iova}
   * @param length in bytes
   * @return {@link PostStatus#OK} or a negative {@link PostStatus}
   */
  @AnyContext
  public abstract int postReceive(Cqe cqe, int lkey, long address, int length);

  // ---- control path ----

  /**
   * Changes state and attributes, checked against the transition table first ({@link
   * QpTransitions}).
   *
   * @param attr what to change; its mask names the attributes
   * @throws IbInvalidException when the transition is not in the table or attributes are missing,
   *     not allowed or out of range; nothing has changed then
   */
  @MaySleep
  public final void modify(QpAttr attr) {
    control().enter("modify");
    control().given(attr, "modify", "attr");
    QpState to = control().call("modify", () -> target(attr));
    if (attr.has(QpAttrMask.CAP)) {
      long most = attr.cap().workRequests();
      sized(Amount.WORK_REQUESTS, most, "modify", () -> doModify(attr, to));
    } else {
      control().run("modify", () -> doModify(attr, to));
    }
    if (attr.has(QpAttrMask.DEST_QPN)) {
      remoteQpn = attr.destQpn();
    }
    if (attr.has(QpAttrMask.SQ_PSN)) {
      startPsn = attr.sqPsn();
    }
    if (attr.has(QpAttrMask.PORT)) {
      port = attr.port();
    }
  }

  /**
   * {@return the port that the last modify set, for a special queue pair the one given at creation,
   * else 0; for introspection}
   */
  @AnyContext
  public final int port() {
    return port == 0 ? init.port() : port;
  }

  /**
   * {@return the remote queue pair number that the last modify set, 0 before; for introspection}
   */
  @AnyContext
  public final int remoteQpn() {
    return remoteQpn;
  }

  /**
   * {@return the first packet sequence number that the last modify set, 0 before; for
   * introspection}
   */
  @AnyContext
  public final int startPsn() {
    return startPsn;
  }

  /**
   * Returns a random start PSN for {@code SQ_PSN}; the peer needs it as its {@code RQ_PSN}. Use it
   * unless the application needs a particular value: an attacker has to guess it to forge a packet
   * (D9, V6).
   *
   * @return 24 bits, random, another one at each call
   */
  @MaySleep
  public static int randomPsn() {
    return RANDOM.nextInt(WellKnown.PSN_MASK + 1);
  }

  /** {@return all attributes now} */
  @MaySleep
  public final QpAttr query() {
    control().enter("query");
    return control().call("query", this::doQuery);
  }

  /**
   * Drains both queues: moves to ERR and waits until the completion of every request posted before
   * lies in its completion queue. Polling them is the caller's.
   *
   * @throws IbTimedOutException after 60 s, when the driver does not flush (B20)
   */
  @MaySleep
  public final void drain() {
    control().enter("drain");
    Drain.drain(this);
  }

  /**
   * Joins a multicast group (UD). An attached queue pair cannot be closed before it has left all
   * its groups (IBA 11.2.5.4).
   *
   * @param group multicast GID
   * @param mlid multicast LID, 0xc000 to 0xfffe, or 0 on Ethernet
   * @throws IbInvalidException for other queue pairs or not a multicast GID
   * @throws IbExistsException when it is attached already
   */
  @MaySleep
  public final void attachMulticast(Gid group, int mlid) {
    control().enter("attachMulticast");
    checkMulticast(group);
    control().run("attachMulticast", () -> doAttachMulticast(group, mlid));
    groups(group, true);
  }

  /**
   * Leaves a multicast group.
   *
   * @param group multicast GID
   * @param mlid multicast LID
   * @throws IbInvalidException when it is not attached
   */
  @MaySleep
  public final void detachMulticast(Gid group, int mlid) {
    control().enter("detachMulticast");
    checkMulticast(group);
    control().run("detachMulticast", () -> doDetachMulticast(group, mlid));
    groups(group, false);
  }

  private void groups(Gid group, boolean joined) {
    String name = "multicast group " + group;
    List<String> before;
    List<String> after;
    do {
      before = groups;
      after = new ArrayList<>(before);
      if (joined) {
        after.add(name);
      } else {
        after.remove(name);
      }
    } while (!GROUPS.compareAndSet(this, before, List.copyOf(after)));
  }

  /** {@return the state that attributes lead to, which is checked} */
  private QpState target(QpAttr attr) {
    QpState from = attr.has(QpAttrMask.CUR_STATE) ? attr.curState() : state();
    QpState to = attr.has(QpAttrMask.STATE) ? attr.state() : from;
    if (attr.has(QpAttrMask.CUR_STATE) && from != state()) {
      throw new IbInvalidException(
          this + ".modify", "CUR_STATE is " + from + " but the state is " + state(), "query first");
    }
    QpTransitions.check(type(), from, to, attr);
    return to;
  }

  @Override
  public final List<String> pins() {
    return groups;
  }

  private void checkMulticast(Gid group) {
    control().given(group, "multicast", "group");
    device().requireCap(Cap.MULTICAST, "attachMulticast");
    if (type() != QpType.UD || !group.isMulticast()) {
      throw new IbInvalidException(
          this + " multicast " + group,
          type() + ", " + group,
          "a UD queue pair and a GID of ff00::/8 or ::ffff:224.0.0.0/100");
    }
  }

  /**
   * Changes state and attributes.
   *
   * @param attr what to change, checked against the table
   * @param to the state afterwards
   */
  protected abstract void doModify(QpAttr attr, QpState to);

  /** {@return all attributes} */
  protected abstract QpAttr doQuery();

  /** {@return requests posted but not completed into a CQ yet, sends and own receives together} */
  protected abstract int outstanding();

  /**
   * Joins a group.
   *
   * @param group multicast GID
   * @param mlid multicast LID
   */
  protected abstract void doAttachMulticast(Gid group, int mlid);

  /**
   * Leaves a group.
   *
   * @param group multicast GID
   * @param mlid multicast LID
   */
  protected abstract void doDetachMulticast(Gid group, int mlid);

  /**
   * For drivers: raises an event of this queue pair, without running a handler here (S20).
   *
   * @param type an event of a queue pair
   */
  @AnyContext
  protected final void raise(EventType type) {
    control().raise(new IbEvent(device(), type, this, 0, 0, System.nanoTime()));
  }
}
