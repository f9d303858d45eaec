package ib.core.internal.mad;

import ib.core.client.Incidents;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadSource;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.DirectedRoute;
import ib.core.mad.smp.Smp;
import ib.core.serial.Waits;
import ib.core.verbs.AhAttr;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.QpType;
import ib.core.verbs.WellKnown;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The MAD layer of one port: agents, messages, the way out. What arrives is {@link Inbound}'s. All
 * but registration happens on the port's queue (M2).
 */
final class MadPort implements Rmpp.Port {
  private final String name;
  final int number;
  private final Wire wire;
  private final World world;
  final Contract contract;
  final Waits waits;
  private final Incidents incidents;
  private final SerialQueue queue;
  final Counters counters = new Counters();
  final AgentTable agents = new AgentTable();
  private final Inbound inbound;

  /** The requests that wait for a response; for the port's queue only. */
  final Exchanges exchanges;

  final Transfers transfers = new Transfers(this);

  MadPort(
      String name, Wire wire, World world, Contract contract, Waits waits, Incidents incidents) {
    this.name = name;
    this.number = wire.port();
    this.incidents = incidents;
    this.wire = wire;
    this.world = world;
    this.contract = contract;
    this.waits = waits;
    this.queue = newQueue("management of " + name, "ib.core");
    this.exchanges = new Exchanges(this);
    this.inbound = new Inbound(this, wire);
  }

  SerialQueue newQueue(String what, String party) {
    return new SerialQueue(what, party, world::execute, contract, waits);
  }

  /** Runs something on the port's queue. */
  void run(Runnable what) {
    queue.execute(what);
  }

  /** Waits until what the port was given before is done. */
  void fence(Consumer<? super Waits.Target> owes) {
    queue.fence(owes);
  }

  // ---- agents ----

  Agent register(@Nullable BoundDevice owner, MadRegistration what, MadHandler handler) {
    int qpn = what.qpType() == QpType.SMI ? WellKnown.QPN_SMI : WellKnown.QPN_GSI;
    if (!wire.has(qpn)) {
      throw new IbNotSupportedException(
          "MadAgent.register on " + name,
          "the port has no QP" + qpn,
          qpn == 0 ? "a port whose link layer is InfiniBand" : "a device with Cap.GSI");
    }
    return agents.add(what, tid -> new Agent(this, owner, what, handler, tid));
  }

  /** Removes a closed agent: it gets no more datagrams, and its outstanding requests fail (M6). */
  void leave(Agent agent) {
    agents.remove(agent);
    run(
        () -> {
          exchanges.leave(agent);
          transfers.leave(agent);
        });
  }

  /** Closes the agents of a handle, or all. */
  void close(@Nullable IbDevice owner) {
    for (Agent a : agents.all()) {
      if (owner == null || a.belongsTo(owner)) {
        a.end();
      }
    }
  }

  // ---- messages, on the port's queue ----

  void send(Agent agent, Mad mad, MadAddress to, Pending<@Nullable Void> sent) {
    if (agent.rmpp() && (mad.isLong() || Rmpp.method(mad.header()))) {
      transfers.message(agent, mad, to, sent);
    } else if (mad.isLong()) {
      agent.queue.execute(() -> sent.completeExceptionally(tooLong(agent, mad)));
    } else {
      transmit(
          mad,
          to,
          failure -> {
            IbException why =
                failure == null
                    ? null
                    : new IbInvalidException(agent + ".send " + mad, failure, "");
            finish(agent, sent, why);
          });
    }
  }

  static IbException tooLong(Agent agent, Mad mad) {
    return new IbInvalidException(
        agent + ".send " + mad, "longer than a datagram", "an agent with RMPP");
  }

  static void finish(Agent agent, Pending<@Nullable Void> sent, @Nullable IbException why) {
    agent.queue.execute(
        () -> {
          if (why == null) {
            sent.complete(null);
          } else {
            sent.completeExceptionally(why);
          }
        });
  }

  // ---- the way out ----

  @Override
  public void transmit(Mad mad, MadAddress to) {
    transmit(mad, to, failure -> {});
  }

  /** Sends a datagram; one to this port itself does not use the wire (M8). */
  void transmit(Mad mad, MadAddress to, Wire.Done done) {
    counters.add(Counter.SENT);
    int mgmtClass = mad.header().mgmtClass();
    int qpn = MgmtClass.smi(mgmtClass) ? WellKnown.QPN_SMI : WellKnown.QPN_GSI;
    Mad out = mad.copy();
    boolean local = to.qpn() == qpn && to.ah().grh() == null && wire.ownLid(to.ah().dlid());
    if (mgmtClass == MgmtClass.SUBN_DIRECTED_ROUTE) {
      DirectedRoute.Way way = DirectedRoute.send(out.bytes(), number);
      if (way == DirectedRoute.Way.DROP) {
        counters.add(Counter.SEND_ERRORS);
        done.sent("the route does not begin at port " + number);
        return;
      }
      local = way == DirectedRoute.Way.LOCAL;
    }
    if (!wire.has(qpn)) {
      counters.add(Counter.SEND_ERRORS);
      done.sent("the port has no QP" + qpn);
    } else if (local) {
      AhAttr self = AhAttr.ofLid(number, to.ah().dlid(), to.ah().sl());
      MadSource source =
          new MadSource(
              number, true, self.dlid(), self.sl(), qpn, Math.max(0, to.pkeyIndex()), self);
      run(() -> inbound.arrived(qpn, out, source));
      done.sent(null);
    } else {
      wire.transmit(
          qpn,
          out.bytes(),
          to,
          failure -> {
            if (failure != null) {
              counters.add(Counter.SEND_ERRORS);
            }
            done.sent(failure);
          });
    }
  }

  /** Answers a request by the way it came. */
  void answer(Mad response, MadSource to) {
    AhAttr back = to.answer();
    if (back == null) {
      counters.add(Counter.SEND_ERRORS);
      return;
    }
    if (response.header().mgmtClass() == MgmtClass.SUBN_DIRECTED_ROUTE) {
      Smp.DIRECTION.set(response.bytes(), 1); // D bit (IBA 14.2.1.2)
    }
    response.header().response(response.header().method() != MadMethod.TRAP_REPRESS);
    int qkey = to.srcQp() == WellKnown.QPN_SMI ? 0 : WellKnown.QP1_QKEY;
    transmit(response, new MadAddress(back, to.srcQp(), qkey, to.pkeyIndex()));
  }

  /** Handles a datagram that arrived by the wire; any thread may call. */
  void arrived(int qpn, Mad mad, MadSource source) {
    if (!queue.executeForStranger(() -> inbound.arrived(qpn, mad, source))) {
      refused(Counter.NO_ROOM, "more datagrams than the port keeps up with", source);
    }
  }

  @Override
  public World.Alarm after(long delayNs, Runnable what) {
    return world.after(delayNs, () -> run(what));
  }

  @Override
  public void count(Counter counter) {
    counters.add(counter);
  }

  @Override
  public void refused(Counter counter, String reason, MadSource source) {
    counters.add(counter);
    incidents.refused(
        reason,
        () -> {
          AhAttr back = source.answer();
          GlobalRoute route = back == null ? null : back.grh();
          String who = route == null ? "LID " + source.slid() : route.dgid().toString();
          return who + ", queue pair " + source.srcQp() + ", at " + name;
        });
  }

  @Override
  public String toString() {
    return name;
  }
}
