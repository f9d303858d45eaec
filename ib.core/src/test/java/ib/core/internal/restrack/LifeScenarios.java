package ib.core.internal.restrack;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.restrack.Life.State;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.ProtectionDomain;

/** Scenarios of making, using, looking at, closing and revoking objects. */
public final class LifeScenarios {
  private LifeScenarios() {}

  /** A use, a look and a close of one object. */
  public static class UseAndClose implements Scenario {
    final Life life = new Life(State.LIVE);
    boolean used;
    boolean read;
    boolean destroyed;

    @Override
    public void setUp() {
      Interleavings.spawn("user", false, this::use);
      Interleavings.spawn("reader", false, this::read);
      Interleavings.spawn("closer", false, this::close);
    }

    void use() {
      if (life.use()) {
        used = true;
        Interleavings.step();
        mustLive();
        used = false;
        life.unuse();
      }
    }

    void read() {
      if (life.pin()) {
        read = true;
        Interleavings.step();
        mustLive();
        read = false;
        life.unpin();
      }
    }

    void mustLive() {
      if (destroyed) {
        throw new AssertionError("B9: destroyed while in use");
      }
    }

    void close() {
      if (beginClose()) {
        while (life.readers() > 0) {
          Interleavings.spin();
        }
        if (used || read) {
          throw new AssertionError("B9: destroyed while in use");
        }
        destroyed = true;
        life.go(State.CLOSING, State.CLOSED);
      }
    }

    boolean beginClose() {
      return life.beginClose();
    }

    @Override
    public void check() {
      if (life.users() != 0 || life.readers() != 0) {
        throw new AssertionError("B11: a reference is left");
      }
    }
  }

  /** Canary: looks at the count first and changes the state then. */
  public static final class CanaryCheckThenClose extends UseAndClose {
    @Override
    boolean beginClose() {
      return life.users() == 0 && life.go(State.LIVE, State.CLOSING);
    }
  }

  /** Whatever happens, the core and the driver count the same. */
  abstract static class Rig implements Scenario {
    final FakeDevice fake = new FakeDevice("fake0");
    final CoreRig rig = new CoreRig(fake, new Contract(false));
    final BoundDevice device = rig.bind("ulp");

    @Override
    public void check() {
      device.sweepAndPoison();
      if (rig.objects().live() != 0 || fake.live() != 0 || fake.doubleDestroys() != 0) {
        throw new AssertionError(
            "I8: left "
                + rig.objects().live()
                + ", driver's "
                + fake.live()
                + ", destroyed twice "
                + fake.doubleDestroys());
      }
    }
  }

  /** The client makes an object while its handle is revoked. */
  public static final class MakeAndSweep extends Rig {
    @Override
    public void setUp() {
      Interleavings.spawn(
          "ulp",
          false,
          () -> {
            try {
              device.allocPd().allocFastRegistration(1);
            } catch (IbDisassociatedException expected) {
              // revoked first
            }
          });
      Interleavings.spawn("core", false, device::sweepAndPoison);
    }

    @Override
    public void check() {
      if (fake.live() != 0 || fake.touchedDead() != 0) {
        throw new AssertionError(
            "I8: the driver has " + fake.live() + ", made in a dead domain: " + fake.touchedDead());
      }
      super.check();
    }
  }

  /** Two closes of a domain, and an object made in it. */
  public static final class CloseTwiceAndMake extends Rig {
    private ProtectionDomain pd;

    @Override
    public void setUp() {
      pd = device.allocPd();
      Interleavings.spawn("one", false, this::close);
      Interleavings.spawn("two", false, this::close);
      Interleavings.spawn(
          "maker",
          false,
          () -> {
            try {
              pd.allocFastRegistration(1);
            } catch (IbInvalidException expected) {
              // closed first
            }
          });
    }

    private void close() {
      try {
        pd.close();
        if (fake.live(ObjectRecord.Kind.PD) != 0) {
          throw new AssertionError("B9: close returned before the destroy");
        }
      } catch (IbBusyException expected) {
        // made first
      }
    }
  }
}
