package ib.cm.internal.port;

import ib.cm.internal.machine.Drop;
import ib.cm.internal.machine.StateTable;
import ib.cm.internal.machine.Station;
import ib.cm.internal.wire.CmMessage;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.PortCapability;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.PortModify;
import ib.core.verbs.WellKnown;
import java.security.SecureRandom;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agent, the station and the timer of one port. Any thread may call. */
final class LivePort {
  private final Logger log = LoggerFactory.getLogger(LivePort.class);
  private final IbDevice device;
  private final int port;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ScheduledThreadPoolExecutor timers;
  private final Station station;
  private @Nullable MadAgent agent;
  private @Nullable ScheduledFuture<?> timer;
  private long timerNs = Long.MAX_VALUE;

  /**
   * Registers the agent, and sets IsCommunicationManagementSupported in the port's capability mask
   * (CM-6).
   *
   * @throws ib.core.verbs.IbExistsException when another agent has the class
   */
  LivePort(IbDevice device, int port) {
    this.device = device;
    this.port = port;
    timers =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform()
                .daemon()
                .name("ib-cm-" + device.name() + "-" + port)
                .inheritInheritableThreadLocals(false)
                .factory());
    timers.setRemoveOnCancelPolicy(true);
    station =
        new Station(
            new PortSelf(device, port, () -> agent().hiTid()),
            System::nanoTime,
            new SecureRandom(),
            this::send,
            StateTable.IBA);
    MadRegistration what =
        MadRegistration.gsi(MgmtClass.CM, CmMessage.CLASS_VERSION, MadMethod.SEND);
    lock.lock(); // a message that arrives at once waits for the agent
    try {
      agent = MadAgent.register(device, port, what, this::received);
    } finally {
      lock.unlock();
    }
    supported(true);
  }

  private MadAgent agent() {
    if (agent == null) {
      throw new IllegalStateException("no agent");
    }
    return agent;
  }

  private void supported(boolean is) {
    int bit = PortCapability.IS_CM_SUPPORTED.mask();
    try {
      device.modifyPort(port, new PortModify(is ? bit : 0, is ? 0 : bit, false, false));
    } catch (IbException e) { // the bit only informs peers: connections work without it
      log.debug("{}/{}: bit 16 of the capability mask stays as it is", device, port, e);
    }
  }

  private void send(CmMessage message, AhAttr way, int pkeyIndex) {
    MadAddress qp1 = new MadAddress(way, WellKnown.QPN_GSI, WellKnown.QP1_QKEY, pkeyIndex);
    agent()
        .send(message.mad(), qp1)
        .whenComplete(
            (done, why) -> {
              if (why != null) {
                log.debug("{} is lost", message.kind(), why);
              }
            });
  }

  private void received(MadAgent who, MadReceived datagram) {
    AhAttr answer = datagram.source().answer();
    run(
        s -> {
          if (datagram.source().srcQp() != WellKnown.QPN_GSI) {
            s.refused(Drop.SOURCE_QP);
          } else if (answer == null) {
            s.refused(Drop.UNANSWERABLE);
          } else {
            s.received(datagram.mad(), answer, datagram.source().pkeyIndex());
          }
        });
  }

  /** Does something with the station, under the lock. */
  void run(Consumer<Station> what) {
    make(
        s -> {
          what.accept(s);
          return s;
        });
  }

  /** {@return what is made of the station, under the lock} */
  <T> T make(Function<Station, T> what) {
    lock.lock();
    try {
      return what.apply(station);
    } finally {
      arm();
      changed.signalAll();
      lock.unlock();
    }
  }

  private void arm() {
    long next = station.nextNs();
    if (next == timerNs || timers.isShutdown()) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    timerNs = next;
    if (next != Long.MAX_VALUE) {
      long in = Math.max(0, next - System.nanoTime());
      timer = timers.schedule(() -> run(this::due), in, TimeUnit.NANOSECONDS);
    }
  }

  private void due(Station s) {
    timer = null;
    timerNs = Long.MAX_VALUE;
    s.tick();
  }

  /** Waits under the lock until {@code until} holds; {@return whether it does} */
  boolean await(BooleanSupplier until, long limitNs) {
    long left = limitNs;
    lock.lock();
    try {
      while (!until.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return until.getAsBoolean();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Clears the bit of the capability mask, and closes the agent and the timer. */
  void close() {
    supported(false);
    lock.lock(); // no timer is started afterwards
    try {
      timers.shutdownNow();
    } finally {
      lock.unlock();
    }
    agent().close();
  }
}
