package ib.core.internal.sa;

import ib.core.internal.device.BoundDevice;
import ib.core.internal.mad.Agent;
import ib.core.internal.mad.SerialQueue;
import ib.core.internal.mad.World;
import ib.core.mad.Mad;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.McMemberRecord;
import ib.core.sa.Notice;
import ib.core.sa.SaRecord;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The state that all clients of one port share: memberships, subscriptions, the SA's abilities. */
final class SaPort implements AutoCloseable {
  final BoundDevice device;
  final int number;
  final World world;
  private final Agent agent;
  private final SerialQueue queue;
  private final IbEventHandler events;
  private final Map<Gid, Group> groups = new HashMap<>();
  private final Map<Integer, Reports> reports = new HashMap<>();
  private volatile @Nullable ClassPortInfo known;
  private boolean closed;

  SaPort(BoundDevice device, int number, World world) {
    this.device = device;
    this.number = number;
    this.world = world;
    this.agent =
        (Agent)
            MadAgent.register(
                device, number, MadRegistration.sa(MadMethod.REPORT), (a, r) -> report(r));
    this.queue = agent.newQueue("subnet administration of " + device.name() + "/" + number);
    this.events =
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            if (event.port() == number || event.type() == EventType.EVENT_OVERFLOW) {
              changed(event.type());
            }
          }
        };
    device.registerEventHandler(events);
  }

  Gid gid() {
    return device.gid(number, 0);
  }

  boolean reachable() {
    return !closed && Query.manager(device, number) != null;
  }

  void run(Runnable what) {
    queue.execute(what);
  }

  World.Alarm after(int delayMs, Runnable what) {
    return world.after(TimeUnit.MILLISECONDS.toNanos(delayMs), () -> run(what));
  }

  /** One attempt, without repetition. */
  <S extends SaRecord<S, ?>> CompletableFuture<S> attempt(int method, S record, int timeoutMs) {
    return Query.attempt(agent, world, method, record, timeoutMs);
  }

  // ---- what the subnet administrator can do ----

  @Nullable ClassPortInfo known() {
    return known;
  }

  void known(ClassPortInfo info) {
    known = info;
  }

  // ---- groups and subscriptions, on the port's queue ----

  Group group(Gid mgid) {
    return groups.computeIfAbsent(mgid, g -> new Group(this, g));
  }

  /** {@return the record of a group that the port has joined; null while it has not} */
  @Nullable McMemberRecord joined(Gid mgid) {
    Group group = groups.get(mgid);
    return group == null ? null : group.joined();
  }

  /** A group is joined: the joins that wait for that group go on. */
  void follow(Gid mgid) {
    run(
        () ->
            List.copyOf(groups.values()).stream()
                .filter(g -> g.follows(mgid))
                .forEach(Upkeep::step));
  }

  boolean joined(Gid mgid, Session otherThan) {
    Group group = groups.get(mgid);
    return group != null && group.joinedByOthers(otherThan);
  }

  Reports reports(int trap) {
    return reports.computeIfAbsent(trap, t -> new Reports(this, t));
  }

  void forget(Upkeep upkeep) {
    groups.values().removeIf(upkeep::equals);
    reports.values().removeIf(upkeep::equals);
  }

  private List<Upkeep> kept() {
    List<Upkeep> all = new ArrayList<>(groups.values());
    all.addAll(reports.values());
    return all;
  }

  /** Handles the events after which the SA is another one, or may have lost registrations (M9). */
  private void changed(EventType type) {
    switch (type) {
      case CLIENT_REREGISTER, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, PORT_ERR, EVENT_OVERFLOW -> {
        known = null;
        run(
            () -> {
              IbException why =
                  new IbAgainException(
                      device.name() + "/" + number,
                      "after " + type + " the subnet administrator may have forgotten (ENETRESET)",
                      "wait: the core registers again");
              kept().forEach(u -> u.forgotten(why));
              kept().forEach(Upkeep::step);
            });
      }
      case PORT_ACTIVE, GID_CHANGE ->
          run(
              () -> {
                kept().forEach(Upkeep::restart);
                kept().forEach(Upkeep::step);
              });
      default -> {
        // says nothing of the subnet
      }
    }
  }

  /** Acknowledges a report, then delivers it to the subscribers (IBA 15.4.5). */
  private void report(MadReceived received) {
    Mad mad = received.mad();
    if (mad.header().attributeId() != Notice.ATTRIBUTE_ID) {
      agent.reply(received, mad.response(MadStatus.BAD_METHOD_ATTRIBUTE));
      return;
    }
    agent.reply(received, mad.response(MadStatus.OK).withData(mad.data()));
    Notice notice = new Notice().read(mad.data(), 0);
    run(
        () -> {
          Reports r = reports.get(notice.value(Notice.Field.TRAP_NUMBER));
          if (r != null) {
            r.heard(notice);
          }
        });
  }

  /** Waits until what was given before has run. */
  void fence() {
    queue.fence();
  }

  @Override
  public void close() {
    device.unregisterEventHandler(events);
    run(
        () -> {
          closed = true;
          kept().forEach(Upkeep::stop);
          groups.clear();
          reports.clear();
        });
    queue.fence();
    agent.close();
  }
}
