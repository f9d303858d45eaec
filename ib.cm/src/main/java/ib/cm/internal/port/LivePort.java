package ib.cm.internal.port;

import ib.cm.internal.machine.Drop;
import ib.cm.internal.machine.StateTable;
import ib.cm.internal.machine.Station;
import ib.cm.internal.machine.Transport;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.smp.PortCapability;
import ib.core.serial.Waits;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.PortModify;
import ib.core.verbs.QpType;
import ib.core.verbs.WellKnown;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent, the station, the timer and the shares of one port. Any thread may call. The lock
 * guards the station, the timer, the shares and the fields of the shares.
 */
final class LivePort {
  private final Logger log = LoggerFactory.getLogger(LivePort.class);
  private final IbDevice device;
  private final int port;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Share> shares = new HashSet<>();
  private final ScheduledThreadPoolExecutor timers;
  private final Station station;
  private @Nullable MadAgent agent;
  private @Nullable ScheduledFuture<?> timer;
  private long timerNs = Long.MAX_VALUE;
  private boolean closed;

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
    MadAgent registered = MadAgent.register(device, port, what, this::received);
    run(s -> agent = registered);
    supported(true);
  }

  /** {@return the types of queue pairs that the device has, and the port connects} */
  Set<QpType> types() {
    Set<QpType> all = EnumSet.noneOf(QpType.class);
    for (Transport each : Transport.values()) {
      if (device.has(each.cap())) {
        all.add(each.active());
        all.add(each.passive());
      }
    }
    return all;
  }

  /**
   * Checks types of queue pairs.
   *
   * @throws IbNotSupportedException when the device has not each of them
   */
  void serves(String what, Set<QpType> wanted) {
    Set<QpType> there = types();
    if (!there.containsAll(wanted)) {
      throw new IbNotSupportedException(
          what + " at " + this, "the device has no queue pairs of type " + wanted, "" + there);
    }
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
          agent = who; // the first message may be faster than the registration's return
          if (datagram.source().srcQp() != WellKnown.QPN_GSI) {
            s.refused(Drop.SOURCE_QP);
          } else if (answer == null) {
            s.refused(Drop.UNANSWERABLE);
          } else {
            s.received(datagram.mad(), answer, datagram.source().pkeyIndex());
          }
        });
  }

  @Override
  public String toString() {
    return device.name() + "/" + port;
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

  /** {@return a new share of the port} */
  Share share(Notes notes) {
    return make(
        s -> {
          if (closed) {
            throw new IbNoDeviceException("ib.cm", device.name() + " goes", "wait for its return");
          }
          Share share = new Share(this, notes);
          shares.add(share);
          return share;
        });
  }

  /** {@return whether the device goes, or its connection manager} */
  boolean goes() {
    return make(s -> closed);
  }

  /** A share is closed. */
  void left(Share share) {
    run(s -> shares.remove(share));
  }

  /** {@return the graph for the fences of shares} */
  Waits waits() {
    return Waits.of(device);
  }

  /** Clears the bit of the capability mask, and closes the shares, the agent and the timer. */
  void close() {
    supported(false);
    List<Share> left =
        make(
            s -> {
              closed = true;
              return List.copyOf(shares);
            });
    left.forEach(Share::close);
    lock.lock(); // no timer is started afterwards
    try {
      timers.shutdownNow();
    } finally {
      lock.unlock();
    }
    agent().close();
  }
}
