package ib.engine.sim;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WorkCompletion;
import ib.engine.SoftHca;
import ib.engine.TestDevice;
import ib.engine.fault.Faults;
import ib.engine.fault.FaultyWire;
import ib.engine.qp.HcaConfig;
import ib.engine.verbs.Probe;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A device of the simulation, with a wire that has faults, and memory. */
final class Node {
  static final int SRQ_DEPTH = 32;
  private static final int POLLED = 16;
  private static final int CQES = 1024;
  private static final int OWNED_BYTES = 64;

  final int lid;
  final SoftHca hca;
  final FaultyWire wire;
  final Faults faults;
  final ProtectionDomain pd;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;
  final SharedReceiveQueue srq;
  final SharedReceives shared;
  final Words words;
  private final MemoryRegion owned; // with an arena of its own
  final List<Region> regions = new ArrayList<>();
  final Map<Integer, Endpoint> endpoints = new HashMap<>();
  final Arena arena = Arena.ofShared();
  private final Sim sim;
  private final WorkCompletion[] wcs = new WorkCompletion[POLLED];

  Node(Sim sim, int lid, HcaConfig config, Profile profile, int receiveBytes) {
    this.sim = sim;
    this.lid = lid;
    this.faults = new Faults("sim" + lid, 1, sim.random.nextLong());
    if (!profile.changes()) {
      profile.apply(faults, sim.random);
    }
    SimFabric.Plug plug = sim.fabric.plug();
    this.wire = new FaultyWire(plug, faults, 1, sim.clock);
    this.hca = new SoftHca(config, List.of(wire), (type, port) -> {}, sim.clock, sim.random);
    wire.attach(hca);
    plug.connect(wire.receiver(hca.port(1)));
    hca.port(1).lid(lid, 0);
    hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
    TestDevice device = new TestDevice("sim" + lid, hca);
    this.pd = device.allocPd();
    this.sendCq = device.createCq(new CqInit(CQES));
    this.recvCq = device.createCq(new CqInit(CQES));
    this.srq = pd.createSrq(new SrqInit(new SrqAttr(SRQ_DEPTH, 2, 0), null, null));
    this.shared = new SharedReceives(this, receiveBytes);
    this.words = new Words(this, sim.random);
    this.owned = pd.allocMemory(OWNED_BYTES, Long.BYTES, 0);
    for (int i = 0; i < POLLED; i++) {
      wcs[i] = new WorkCompletion();
    }
  }

  Region region(String name, long length, int access) {
    Region r = new Region(arena, pd, name + " of node " + lid, length, access);
    regions.add(r);
    return r;
  }

  /** Takes all completions of received messages; returns how many there were. */
  int pollReceives() {
    int all = 0;
    for (int n = recvCq.poll(wcs, POLLED); n > 0; n = recvCq.poll(wcs, POLLED)) {
      for (int i = 0; i < n; i++) {
        note(wcs[i]);
        endpoint(wcs[i]).receives.completed(wcs[i]);
      }
      all += n;
    }
    return all;
  }

  /** Takes all completions of send requests; returns how many there were. */
  int pollSends() {
    int all = 0;
    for (int n = sendCq.poll(wcs, POLLED); n > 0; n = sendCq.poll(wcs, POLLED)) {
      for (int i = 0; i < n; i++) {
        note(wcs[i]);
        endpoint(wcs[i]).sent(wcs[i]);
      }
      all += n;
    }
    return all;
  }

  /** Lets its wire disturb packets, or no longer. */
  void weather(boolean clears) {
    if (clears) {
      faults.clear();
    } else {
      sim.profile.apply(faults, sim.random);
    }
  }

  boolean disturbed() {
    return !faults.list().isEmpty();
  }

  private void note(WorkCompletion wc) {
    sim.trace.mix(wc.wrId() << 8 | wc.status().value());
    sim.trace.mix((long) wc.qpn() << 32 | wc.byteLen());
  }

  private Endpoint endpoint(WorkCompletion wc) {
    Endpoint e = endpoints.get(wc.qpn());
    if (e == null) {
      throw new SimFailure("a completion of queue pair " + wc.qpn() + ", which there is not");
    }
    return e;
  }

  /** The timers that were cancelled before the last step are gone. */
  void checkTimers() {
    int left = Probe.timersLeft(hca);
    if (left > 0) {
      throw new SimFailure("node " + lid + ": " + left + " timers of reset queue pairs still run");
    }
  }

  /** Checks that each queue pair that was handed to the worker is still claimed. */
  void checkClaims() {
    if (!Probe.claimed(hca)) {
      throw new SimFailure("node " + lid + ": a queue pair of the worker is not claimed");
    }
  }

  void checkMemory() {
    regions.forEach(Region::checkGuards);
  }

  /** Closes what is left, innermost first; each close fails when something still uses it. */
  void close() {
    if (!Probe.even(srq)) {
      throw new SimFailure(
          "node " + lid + ": a slot of the shared queue is not free as it should be");
    }
    srq.close();
    regions.forEach(r -> r.mr.close());
    owned.close();
    if (owned.segment().scope().isAlive()) {
      throw new SimFailure("node " + lid + ": an arena is left");
    }
    sendCq.close();
    recvCq.close();
    pd.close();
    wire.close();
    hca.shutdown();
    arena.close();
  }
}
