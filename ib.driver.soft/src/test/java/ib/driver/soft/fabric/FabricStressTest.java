package ib.driver.soft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.driver.soft.sm.BuiltinSm;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("finding")
@DisplayName("B22 ports come and go while others send to them")
final class FabricStressTest {
  private static final int SENDERS = 2;

  /** What one run found. */
  private record Outcome(long transmitted, long released, long received, long afterGone) {}

  @Test
  @DisplayName("B22: every packet is released exactly once, none reaches a port that is gone")
  void unplugWhileTransmitting() throws Exception {
    Outcome o = storm(40, wire -> wire);
    assertEquals(o.transmitted, o.released);
    assertTrue(o.received > 0 && o.received < o.transmitted, o.toString());
    assertEquals(0, o.afterGone, o.toString());
  }

  @Test
  @DisplayName("B22 canary: a sender that keeps the port it once found is caught")
  void canaryStalePort() throws Exception {
    assertTrue(storm(5, StaleWire::new).afterGone > 0);
  }

  /**
   * Senders transmit all the time; one port is plugged and unplugged. After it was closed, every
   * sender is seen to begin a new packet before the port counts as gone: calls that were running at
   * the close are over then.
   */
  private static Outcome storm(int rounds, Function<FabricPort, Wire> decorate)
      throws InterruptedException {
    Fabric fabric = BuiltinSm.newFabric();
    AtomicBoolean over = new AtomicBoolean();
    List<AtomicLong> progress = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    TestPort.Owner owner = new TestPort.Owner();
    List<FabricPort> ports = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      FabricPort senderPort = plug(fabric, new TestPort());
      Wire wire = decorate.apply(senderPort);
      ports.add(senderPort);
      AtomicLong sent = new AtomicLong();
      progress.add(sent);
      threads.add(Thread.ofPlatform().start(() -> sendAlways(wire, owner, sent, over)));
    }
    long received = 0;
    long afterGone = 0;
    for (int round = 0; round < rounds; round++) {
      TestPort victim = new TestPort();
      FabricPort wire = plug(fabric, victim);
      assertEquals(SENDERS + 1, wire.lid());
      awaitProgress(progress);
      wire.close();
      awaitProgress(progress);
      victim.gone = true;
      awaitProgress(progress);
      received += victim.received.get();
      afterGone += victim.afterGone.get();
    }
    over.set(true);
    for (Thread t : threads) {
      t.join(TimeUnit.MINUTES.toMillis(5));
      assertFalse(t.isAlive());
    }
    ports.forEach(FabricPort::close);
    long transmitted = progress.stream().mapToLong(AtomicLong::get).sum();
    return new Outcome(transmitted, owner.released.get(), received, afterGone);
  }

  private static void sendAlways(
      Wire wire, TestPort.Owner owner, AtomicLong sent, AtomicBoolean over) {
    TestPort.Run run = new TestPort.Run();
    while (!over.get()) {
      Packet packet = new Packet(owner);
      packet.psnCount = 1;
      packet.dlid = SENDERS + 1;
      wire.transmit(packet, run);
      sent.getAndIncrement();
    }
  }

  private static final AtomicLong GUIDS = new AtomicLong();

  private static FabricPort plug(Fabric fabric, TestPort port) {
    FabricPort wire = fabric.plug("node", GUIDS.addAndGet(0x100), 1, "sw").getFirst();
    wire.attach(port, Mtu.MTU_4096);
    wire.plugCable();
    port.lid = wire.lid();
    return wire;
  }

  /** Until every sender has ended one packet and then another. */
  private static void awaitProgress(List<AtomicLong> progress) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    for (AtomicLong sent : progress) {
      long until = sent.get() + 2;
      while (sent.get() < until) {
        assertTrue(System.nanoTime() < end, "a sender is stuck");
        Thread.yield();
      }
    }
  }

  /** The bug: what was looked up once is used for ever. */
  private static final class StaleWire implements Wire {
    private final FabricPort wire;
    private WirePort found;

    StaleWire(FabricPort wire) {
      this.wire = wire;
    }

    @Override
    public void transmit(Packet packet, RunContext run) {
      if (found == null) {
        found = wire.receiverOf(packet.dlid);
      }
      if (found == null) {
        wire.transmit(packet, run);
      } else {
        found.receive(packet, run);
      }
    }

    @Override
    public boolean segments() {
      return false;
    }
  }
}
