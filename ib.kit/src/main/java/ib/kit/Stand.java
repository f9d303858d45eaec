package ib.kit;

import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.SaClient;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WrOpcode;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * A thread that stays inside a callback until a case gives it a task there; and the call by which
 * other threads wait for the end of that callback.
 */
final class Stand {
  private static final int VENDOR_CLASS = 0x0f; // IBA 13.4.4: the vendor's

  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch told = new CountDownLatch(1);
  private final AtomicBoolean entered = new AtomicBoolean();
  private final AtomicBoolean returned = new AtomicBoolean();
  private volatile Runnable action = () -> {};
  private volatile Runnable begin = () -> {};
  private volatile Runnable fence = () -> {};
  private volatile @Nullable Thread thread;
  private volatile @Nullable Throwable thrown;

  private Stand() {}

  /** Makes all that is needed; {@link #begin} brings a thread into the callback. */
  static Stand in(CallbackPlace place, Trial t, int device) {
    Stand s = new Stand();
    IbDevice d = device == 0 ? t.left() : t.right();
    switch (place) {
      case RAW -> s.raw(t, d);
      case LOOP -> s.managed(t, d, PollContext.EVENT_LOOP);
      case POOL -> s.managed(t, d, PollContext.WORKQUEUE);
      case VIRTUAL -> s.managed(t, d, PollContext.UNBOUND);
      case EVENT -> s.event(t, d);
      case MAD -> s.mad(t, d);
      case ADD -> s.client(t, device, true);
      case REMOVE -> s.client(t, device, false);
      case CQ_EVENT -> s.cqEvent(t, d);
      case QP_EVENT -> s.qpEvent(t, d);
      case SRQ_EVENT -> s.srqEvent(t, d);
      case SA -> s.sa(t, d);
      case LEASE -> s.lease(t, device);
    }
    t.later(s.told::countDown); // when the case has failed
    return s;
  }

  /** Brings a thread into the callback, after everything was registered. */
  void begin() {
    begin.run();
    Await.until("a thread in the callback", () -> inside.getCount() == 0);
  }

  /** The callback: the first call stays until its task has run, all others return at once. */
  private void enter() {
    if (!entered.compareAndSet(false, true)) {
      return;
    }
    thread = Thread.currentThread();
    inside.countDown();
    Await.until("what to do", () -> told.getCount() == 0);
    try {
      action.run();
    } catch (RuntimeException | AssertionError e) {
      thrown = e;
    }
    returned.set(true);
  }

  /** Waits for the end of the callback that this stands in. */
  void fence() {
    fence.run();
  }

  /** Lets the thread do something, after which its callback returns. */
  void act(Runnable what) {
    action = what;
    told.countDown();
  }

  boolean returned() {
    return returned.get();
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  /** {@return whether the thread waits inside of the midlayer} */
  boolean waits() {
    return waits(thread);
  }

  /** {@return whether a thread waits inside of the midlayer} */
  static boolean waits(@Nullable Thread t) {
    return t != null && waits(t.getStackTrace());
  }

  /**
   * {@return whether a thread with this stack is parked by the midlayer} The stack alone tells: a
   * thread's state, asked before, may be that of another wait, which has ended since. A thread that
   * stands before a lock does not wait for what another thread does, so it is not parked yet.
   */
  static boolean waits(StackTraceElement... stack) {
    boolean parked = false;
    for (StackTraceElement frame : stack) {
      String name = frame.getClassName();
      if (name.startsWith("ib.")) {
        return parked && name.startsWith("ib.core.");
      }
      if (name.startsWith("java.util.concurrent.locks.Reentrant")) {
        return false;
      }
      parked |=
          frame.getMethodName().startsWith("park") || frame.getMethodName().startsWith("wait");
    }
    return false;
  }

  // ---- the places ----

  private void flushed(Trial t, IbDevice d, CompletionQueue cq) {
    End e = t.end(d, Shape.of(QpType.RC));
    QueuePair qp = t.later(e.pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0))));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.modify(new QpAttr().state(QpState.ERR));
    fence =
        () -> {
          qp.close();
          cq.close();
        };
    RecvWr wr = new RecvWr(1).wrId(1).cqe((q, wc) -> enter()).addSge(e.lkey(), e.addr(), 8);
    begin = () -> Assertions.assertEquals(0, qp.postReceive(wr));
  }

  private void raw(Trial t, IbDevice d) {
    Probe probe = new Probe(q -> enter());
    CompletionQueue cq = t.later(probe.cq(d));
    Assertions.assertEquals(0, cq.requestNotify(NotifyFlags.NEXT_COMP));
    flushed(t, d, cq);
  }

  private void managed(Trial t, IbDevice d, PollContext where) {
    CompletionQueue cq = t.later(d.allocCq(End.CQ_ENTRIES, 0, where));
    flushed(t, d, cq);
  }

  /** Makes the close of a lease the wait; it cleans up the objects under the lease. */
  private void lease(Trial t, int device) {
    DeviceLease lease = t.bench.core().lease(t.name(device), t.holder() + " under");
    t.later(lease::close);
    managed(t, lease.device(), PollContext.WORKQUEUE);
    fence = lease::close;
  }

  /** Overruns a completion queue by one completion: CQ_ERR. */
  private void cqEvent(Trial t, IbDevice d) {
    End e = t.end(d, Shape.of(QpType.RC));
    CqInit init = new CqInit(1, 0, null, (event, x) -> enter(), null, null);
    CompletionQueue cq = t.later(d.createCq(init));
    int entries = cq.entries();
    t.assume(entries < Shape.DEPTH, "the smallest completion queue has " + entries + " entries");
    End full = e.with(t.later(e.pd.createQp(new QpInit(QpType.RC, cq, e.shape.cap()))));
    full.init(0);
    fence =
        () -> {
          full.qp.close();
          cq.close();
        };
    begin =
        () -> {
          for (int i = 0; i <= entries; i++) {
            full.receive(i, 0, 8);
          }
          full.error();
        };
  }

  /** Ends a queue pair's use of an SRQ: QP_LAST_WQE_REACHED. */
  private void qpEvent(Trial t, IbDevice d) {
    End e = t.end(d, Shape.of(QpType.RC).withSrq());
    QpInit init = e.init().withEventHandler((event, x) -> enter(), null);
    End last = e.with(t.later(e.pd.createQp(init)));
    last.init(0);
    fence = last.qp::close;
    begin = last::error;
  }

  /** Sends a message that takes one of two receives: SRQ_LIMIT_REACHED. */
  private void srqEvent(Trial t, IbDevice d) {
    Pair p = t.pair(d, d, Shape.of(QpType.RC));
    SrqInit init = new SrqInit(new SrqAttr(8, 1, 2), (event, x) -> enter(), null);
    SharedReceiveQueue srq = t.later(p.b.pd.createSrq(init));
    End shared = p.b.with(t.later(p.b.pd.createQp(p.b.init().withSrq(srq))));
    End from = p.a.with(t.later(p.a.pd.createQp(p.a.init())));
    new Pair(from, shared).connect(t.bench);
    fence =
        () -> {
          shared.qp.close();
          srq.close();
        };
    begin =
        () -> {
          Assertions.assertEquals(0, srq.postReceive(1, shared.lkey(), shared.addr(), 8));
          Assertions.assertEquals(0, srq.postReceive(2, shared.lkey(), shared.addr(), 8));
          from.send(from.wr(WrOpcode.SEND, 3, 0, 8));
        };
  }

  private void sa(Trial t, IbDevice d) {
    LinkLayer layer = d.queryPort(1).linkLayer();
    t.assume(layer == LinkLayer.INFINIBAND, layer + " has no subnet administrator");
    t.assume(t.bench.administered(), "the bench has no subnet administrator");
    SaClient sa = t.later(SaClient.open(d, 1));
    fence = sa::close;
    begin =
        () -> {
          Await.until("a subnet administrator", sa::reachable);
          ask(sa);
        };
  }

  /** Sends a request; again, if the response was there first and this thread ran the callback. */
  private void ask(SaClient sa) {
    Thread asker = Thread.currentThread();
    sa.get(new ClassPortInfo())
        .whenComplete(
            (info, failed) -> {
              if (!Thread.currentThread().equals(asker)) {
                enter();
              } else if (failed == null) {
                ask(sa);
              }
            });
  }

  private void event(Trial t, IbDevice d) {
    // asked with the cable in its place, before the case has begun with anything
    t.assume(t.bench.link(d.name(), true), "the bench cannot pull a cable");
    IbEventHandler handler =
        new IbEventHandler(d) {
          @Override
          public void handle(IbEvent event) {
            enter();
          }
        };
    d.registerEventHandler(handler);
    fence = () -> d.unregisterEventHandler(handler);
    t.later(() -> d.unregisterEventHandler(handler));
    begin = () -> t.bench.link(d.name(), false);
    t.later(
        () -> {
          if (t.bench.link(d.name(), true)) {
            Await.until("port ACTIVE", () -> d.queryPort(1).state() == PortState.ACTIVE);
          }
        });
  }

  private void mad(Trial t, IbDevice d) {
    MadRegistration vendor =
        new MadRegistration(QpType.GSI, VENDOR_CLASS, 1, Set.of(MadMethod.GET), 0, false);
    MadAgent agent = t.later(MadAgent.register(d, 1, vendor, (a, request) -> enter()));
    fence = agent::close;
    MadAddress self =
        new MadAddress(t.bench.path(d, d), 1, WellKnown.QP1_QKEY, MadAddress.DEFAULT_PARTITION);
    begin = () -> agent.send(Mad.request(VENDOR_CLASS, 1, MadMethod.GET, 1, 0), self);
  }

  /** A client that rejects the device the first time, so that a rebind adds it again. */
  private void client(Trial t, int device, boolean add) {
    AtomicBoolean rejected = new AtomicBoolean();
    IbClient client =
        new IbClient() {
          @Override
          public String name() {
            return Trial.OWNER + " stands on " + device;
          }

          @Override
          public boolean supports(DeviceInfo info) {
            return info.name().equals(t.name(device));
          }

          @Override
          public @Nullable Object add(IbDevice handle) {
            if (add && rejected.compareAndSet(false, true)) {
              throw new IllegalStateException("not the first time");
            }
            if (add) {
              enter();
            }
            return null;
          }

          @Override
          public void remove(IbDevice handle, @Nullable Object data) {
            if (!add) {
              enter();
            }
          }
        };
    ClientRegistration r = t.client(client);
    fence = r::unregister;
    Thread caller =
        Thread.ofPlatform()
            .name("ib.kit stands on " + device)
            .unstarted(() -> call(add ? r::rebind : r::unregister));
    t.later(() -> Await.end(caller));
    begin = caller::start;
  }

  private void call(Runnable what) {
    try {
      what.run();
    } catch (RuntimeException e) {
      thrown = e;
    }
  }
}
