package ib.driver.soft.fabric;

import ib.core.wire.DropReason;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** An adapter's port without an adapter: counts what arrives and gives it back. */
final class TestPort implements WirePort {
  final AtomicLong received = new AtomicLong();
  final AtomicLong afterGone = new AtomicLong();
  volatile boolean gone;
  volatile int lid;

  @Override
  public void receive(Packet packet, RunContext run) {
    if (gone) {
      afterGone.getAndIncrement();
    }
    received.getAndIncrement();
    packet.release(run);
  }

  @Override
  public void dropped(DropReason reason) {
    throw new AssertionError("the fabric carries packets, not bytes: " + reason);
  }

  @Override
  public WirePort direct() {
    return this;
  }

  @Override
  public int number() {
    return 1;
  }

  @Override
  public int lid() {
    return lid;
  }

  @Override
  public boolean active() {
    return true;
  }

  /** The owner of packets: counts releases, and replicas. */
  static final class Owner extends PacketOwner {
    final AtomicLong released = new AtomicLong();
    final AtomicInteger replicas = new AtomicInteger();
    int replicasMost = Integer.MAX_VALUE;

    @Override
    protected void released(Packet packet, RunContext run) {
      released.getAndIncrement();
    }

    @Override
    protected Packet replicate(Packet original) {
      if (replicas.get() == replicasMost) {
        return null;
      }
      replicas.getAndIncrement();
      Packet copy = new Packet(this);
      copy.set(original);
      return copy;
    }
  }

  /** A context in which nothing is ever left to run. */
  static final class Run extends RunContext {
    @Override
    public void finish() {}
  }
}
