package ib.driver.rxe.udp;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.engine.time.NanoClock;
import ib.engine.wire.RunContext;
import java.util.concurrent.locks.LockSupport;

/** The receiving thread and a consumer that receives, in every order. */
public final class ReceiverScenarios {
  private ReceiverScenarios() {}

  /** Holds acknowledgements back as the engine's run does. */
  private static final class Run extends RunContext {
    private volatile boolean holds;

    @Override
    public void finish() {}

    @Override
    public boolean catchUp() {
      holds = false;
      return false;
    }
  }

  /** A consumer receives once, and rests at once. */
  public static final class Rest extends Once {
    @Override
    void consume(Receiver receiver) {
      receiver.poll();
      receiver.pollersRest();
    }
  }

  /** A consumer that is doubted receives once, and says nothing more. */
  public static final class Doubted extends Once {
    @Override
    void consume(Receiver receiver) {
      receiver.poll();
    }

    @Override
    public void setUp() {
      receiver.doubt();
      super.setUp();
    }
  }

  /** A consumer receives once. */
  abstract static class Once implements Scenario {
    private final Run run = new Run();
    private final ReceivePool pool = new ReceivePool(1, 64, 1, 1);
    final Half receiver = new Half();
    private Thread device;
    private volatile boolean rung;

    /** Only the consumer finds a datagram. */
    final class Half extends Receiver {
      Half() {
        super(inbound(), new UdpCounters(), 0);
      }

      @Override
      void endpoints(Endpoint[] now) {}

      @Override
      int sweep() {
        if (Thread.currentThread().equals(device)) {
          return 0;
        }
        run.holds = true;
        return 1;
      }

      @Override
      void sleep() {
        while (!rung) {
          LockSupport.park(this);
        }
        rung = false;
      }

      @Override
      void settle() {}

      @Override
      boolean isDoubtOver() {
        return false;
      }

      @Override
      void wake() {
        rung = true;
        LockSupport.unpark(device);
      }

      @Override
      void release() {}
    }

    /** What the consumer does. */
    abstract void consume(Receiver receiver);

    private Inbound inbound() {
      return new Inbound(
          new ReceiverTest.Port(),
          run,
          pool,
          new UdpCounters(),
          new RefusedDatagrams(),
          NanoClock.SYSTEM,
          (high, low) -> false,
          ReceiverTest.options(UdpOptions.Path.PORTABLE));
    }

    @Override
    public void setUp() {
      device = Interleavings.spawn("device", true, receiver);
      receiver.crew.begin(device);
      Interleavings.spawn("consumer", false, () -> consume(receiver));
    }

    @Override
    public void check() {
      pool.close();
      if (run.holds) {
        throw new AssertionError("the acknowledgements stay held back");
      }
    }
  }
}
