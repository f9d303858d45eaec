package ib.engine.cq;

import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.engine.run.LookRound;
import ib.engine.run.RunList;
import ib.engine.run.Worker;
import ib.engine.time.VirtualClock;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** A completion queue without a device, its host, and queue pairs that note what they hear. */
final class CqBench extends CqHost implements CompletionNotifier {
  final VirtualClock clock = new VirtualClock();
  final RunList run = new RunList(1 << 20);
  final List<EventType> events = new ArrayList<>();
  final Worker worker =
      new Worker(
          clock,
          new LookRound() {
            @Override
            protected void look(long now) {}

            @Override
            protected long restNs() {
              return Long.MAX_VALUE;
            }
          },
          1 << 20);
  final SoftCq cq;
  int calls;
  int rests;
  int closed;
  int failures;
  int looks;
  Runnable arriving = () -> {}; // once, when a poller looks itself
  boolean broken; // a call of the handler throws

  CqBench(int entries) {
    cq = new SoftCq(control(), new CqInit(entries), this);
    cq.connect(this);
  }

  private ObjectControl control() {
    return (ObjectControl)
        Proxy.newProxyInstance(
            CqBench.class.getClassLoader(),
            new Class<?>[] {ObjectControl.class},
            (proxy, method, args) -> {
              if (args != null && args[0] instanceof IbEvent event) {
                events.add(event.type());
              }
              return method.getReturnType() == long.class ? 0L : null;
            });
  }

  /** A queue pair, as its completion queues know it. */
  static final class User extends IdleMember {
    final List<String> heard = new ArrayList<>();

    User(SoftCq send, SoftCq receive) {
      super(send, receive);
    }

    @Override
    protected void polled(boolean receive, long end) {
      heard.add((receive ? "receive " : "send ") + end);
    }

    @Override
    protected void cqLost(RunList run) {
      heard.add("lost");
    }
  }

  User user() {
    User user = new User(cq, cq);
    cq.attach(user);
    return user;
  }

  void push(long id) {
    push(id, WcStatus.SUCCESS, false);
  }

  void push(long id, WcStatus status, boolean solicited) {
    cq.push(run, id, status, WcOpcode.SEND, 0, 0, 0, 0, 0, 0, 0L, 0, 0L, 0L, null, solicited);
  }

  void push(long id, WcOpcode opcode, long place, long end, Cqe cqe) {
    cq.push(
        run,
        id,
        WcStatus.SUCCESS,
        opcode,
        5,
        6,
        -7,
        -8,
        0xabcdef,
        -9,
        10,
        11,
        place,
        end,
        cqe,
        false);
  }

  void pass(long ns) {
    clock.advance(ns);
    while (worker.step() > 0) {
      continue;
    }
  }

  @Override
  public void notifyCompletion(CompletionQueue queue) {
    if (broken) {
      throw new OutOfMemoryError("planted");
    }
    calls++;
  }

  @Override
  public int processDirect(CompletionQueue queue, int budget) {
    return 0;
  }

  @Override
  protected Worker worker() {
    return worker;
  }

  @Override
  protected long nodeGuid() {
    return 1;
  }

  @Override
  protected boolean progress() {
    looks++;
    Runnable once = arriving;
    arriving = () -> {};
    int before = looks;
    once.run();
    return before == 1;
  }

  @Override
  protected void pollersRest() {
    rests++;
  }

  @Override
  protected void notifyFailed() {
    failures++;
  }

  @Override
  protected void cqClosed() {
    closed++;
  }
}
