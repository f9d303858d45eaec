package ib.core.internal.sa;

import ib.core.internal.mad.Agent;
import ib.core.internal.mad.Pending;
import ib.core.internal.mad.World;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MgmtClass;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.NoSubnetManagerException;
import ib.core.sa.SaException;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One question to the subnet administrator, and how its answer is read. */
final class Query<S extends SaRecord<S, ?>, T> {
  private static final int CLASS_VERSION = 2;

  /** As Linux: the time is divided among so many attempts (M5). */
  private static final int ATTEMPTS = 10;

  private final Agent agent;
  private final World world;
  private final int method;
  private final S record;
  private final Function<Mad, T> reader;
  private final int timeoutMs;
  private final Pending<T> result = new Pending<>();
  private @Nullable MadAddress redirected; // on the agent's queue, once there was an answer

  private Query(
      Agent agent, World world, int method, S record, int timeoutMs, Function<Mad, T> reader) {
    this.agent = agent;
    this.world = world;
    this.method = method;
    this.record = record.copy();
    this.timeoutMs = timeoutMs;
    this.reader = reader;
  }

  /** Asks for, sets or deletes one record. */
  static <S extends SaRecord<S, ?>> CompletableFuture<S> one(
      Agent agent, World world, int method, S record, int timeoutMs) {
    return single(agent, world, method, record, each(timeoutMs), ATTEMPTS);
  }

  /** As {@link #one}, a single time. */
  static <S extends SaRecord<S, ?>> CompletableFuture<S> attempt(
      Agent agent, World world, int method, S record, int timeoutMs) {
    return single(agent, world, method, record, timeoutMs, 1);
  }

  private static <S extends SaRecord<S, ?>> CompletableFuture<S> single(
      Agent agent, World world, int method, S record, int timeoutMs, int attempts) {
    S kind = record.fresh();
    return new Query<>(
            agent, world, method, record, timeoutMs, mad -> kind.fresh().read(mad.data(), 0))
        .start(attempts);
  }

  /** Asks for all records that match. */
  static <S extends SaRecord<S, ?>> CompletableFuture<List<S>> table(
      Agent agent, World world, S record, int timeoutMs) {
    S kind = record.fresh();
    return new Query<>(
            agent, world, MadMethod.GET_TABLE, record, each(timeoutMs), mad -> table(mad, kind))
        .start(ATTEMPTS);
  }

  private static int each(int timeoutMs) {
    return Math.max(1, timeoutMs / ATTEMPTS);
  }

  /** {@return where the subnet administrator is, or null (M9)} */
  static @Nullable MadAddress manager(IbDevice device, int port) {
    PortAttr p = device.port(port); // the cache, refreshed before any handler of an event runs
    return p.state() == PortState.ACTIVE && p.lid() != 0 && p.smLid() != 0
        ? MadAddress.gsi(AhAttr.ofLid(port, p.smLid(), p.smSl()))
        : null;
  }

  static NoSubnetManagerException nobody(IbDevice device, int port, String what) {
    PortAttr p = device.port(port);
    return new NoSubnetManagerException(
        what,
        p.state() == PortState.ACTIVE
            ? "no subnet manager is known on " + device.name() + "/" + port
            : "port " + device.name() + "/" + port + " is " + p.state());
  }

  private CompletableFuture<T> start(int attempts) {
    MadAddress other = redirected;
    MadAddress to = other != null ? other : manager(agent.device(), agent.port());
    if (to == null) {
      fail(nobody(agent.device(), agent.port(), toString()));
      return result;
    }
    Mad mad = Mad.request(MgmtClass.SUBN_ADM, CLASS_VERSION, method, record.attributeId(), 0);
    mad.sa().componentMask(record.componentMask());
    record.write(mad.bytes(), mad.dataOffset());
    CompletableFuture<MadReceived> answer = agent.query(mad, to, timeoutMs, attempts - 1);
    result.onCancel(() -> answer.cancel(false));
    answer.whenComplete((a, failure) -> answered(a, failure, attempts));
    return result;
  }

  private void answered(@Nullable MadReceived answer, @Nullable Throwable failure, int attempts) {
    if (answer == null) {
      result.completeExceptionally(
          failure == null ? new IllegalStateException("no answer") : failure);
      return;
    }
    int status = answer.mad().header().status();
    if (status == SaStatus.BUSY.value() && attempts > 1) {
      World.Alarm later =
          world.after(
              TimeUnit.MILLISECONDS.toNanos(timeoutMs),
              () -> start(attempts - 1)); // the administrator was busy
      result.onCancel(later::cancel);
    } else if (status == SaStatus.REDIRECT.value() && redirect(answer.mad())) {
      start(attempts);
    } else if (status == 0
        || status == SaStatus.NO_RECORDS.value() && method == MadMethod.GET_TABLE) {
      result.complete(reader.apply(answer.mad()));
    } else {
      result.completeExceptionally(new SaException(toString(), status));
    }
  }

  /**
   * Follows a redirection to another port (IBA 13.4.8.1, 13.5.2), once. A second redirection, or
   * one to a GID without a LID, is not followed.
   */
  private boolean redirect(Mad answer) {
    ClassPortInfo to = new ClassPortInfo().read(answer.data(), 0);
    int lid = to.value(ClassPortInfo.Field.REDIRECT_LID);
    int pkey = to.value(ClassPortInfo.Field.REDIRECT_PKEY);
    int index = pkey == 0 ? -1 : agent.device().findPkey(agent.port(), pkey);
    if (redirected != null || lid == 0 || pkey != 0 && index < 0) {
      return false;
    }
    redirected =
        new MadAddress(
            AhAttr.ofLid(agent.port(), lid, to.value(ClassPortInfo.Field.REDIRECT_SL)),
            to.value(ClassPortInfo.Field.REDIRECT_QPN),
            to.value(ClassPortInfo.Field.REDIRECT_QKEY),
            pkey == 0 ? MadAddress.DEFAULT_PARTITION : index);
    return true;
  }

  private void fail(RuntimeException why) {
    agent.callbacks().execute(() -> result.completeExceptionally(why));
  }

  private static <S extends SaRecord<S, ?>> List<S> table(Mad mad, S kind) {
    List<S> records = new ArrayList<>();
    MemorySegment data = mad.data();
    int stride = mad.sa().attributeOffset() * 8;
    boolean whole = (mad.rmpp().rmppFlags() & RmppHeader.FLAG_ACTIVE) != 0;
    S empty = kind.fresh();
    for (long at = 0; stride > 0 && at + kind.size() <= data.byteSize(); at += stride) {
      S next = kind.fresh().read(data, at);
      if (!whole && next.equals(empty)) {
        break; // one datagram without RMPP does not say how much of it is meant
      }
      records.add(next);
    }
    return mad.header().status() == 0 ? records : List.of();
  }

  @Override
  public String toString() {
    return String.format("SA method 0x%02x %s", method, record);
  }
}
