package ib.engine.sim;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
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
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A device of the simulation, with a wire that has faults, and memory. */
final class Node {
  static final int SRQ_DEPTH = 32;
  private static final int POLLED = 16;

  final int lid;
  final SoftHca hca;
  final FaultyWire wire;
  final Faults faults;
  final ProtectionDomain pd;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;
  final SharedReceiveQueue srq;
  final SharedReceives shared;
  final List<Region> regions = new ArrayList<>();
  final Map<Integer, Endpoint> endpoints = new HashMap<>();
  final Arena arena = Arena.ofShared();
  private final Sim sim;
  private final WorkCompletion[] wcs = new WorkCompletion[POLLED];

  Node(Sim sim, int lid, HcaConfig config, Profile profile, int receiveBytes) {
    this.sim = sim;
    this.lid = lid;
    this.faults = new Faults("sim" + lid, 1, sim.random.nextLong());
    profile.apply(faults, sim.random);
    this.wire = new FaultyWire(sim.fabric, faults, 1, sim.clock);
    this.hca = new SoftHca(config, List.of(wire), (type, port) -> {}, sim.clock, sim.random);
    wire.attach(hca);
    sim.fabric.connect(wire.receiver(hca.port(1)));
    hca.port(1).lid(lid, 0);
    hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
    TestDevice device = new TestDevice("sim" + lid, hca);
    this.pd = device.allocPd();
    this.sendCq = device.createCq(new CqInit(8192));
    this.recvCq = device.createCq(new CqInit(8192));
    this.srq = pd.createSrq(new SrqInit(new SrqAttr(SRQ_DEPTH, 2, 0), null, null));
    this.shared = new SharedReceives(this, receiveBytes);
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
        endpoint(wcs[i]).received(wcs[i]);
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

  void checkMemory() {
    regions.forEach(Region::checkGuards);
  }

  /** Closes what is left, innermost first; each close fails when something still uses it. */
  void close() {
    srq.close();
    regions.forEach(r -> r.mr.close());
    sendCq.close();
    recvCq.close();
    pd.close();
    wire.close();
    hca.shutdown();
    arena.close();
  }
}
