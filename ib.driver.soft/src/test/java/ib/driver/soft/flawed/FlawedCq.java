package ib.driver.soft.flawed;

import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;

/** The completion queue of a flawed device. */
final class FlawedCq extends CompletionQueue {
  private final CompletionQueue inner;
  private final Flaw flaw;
  private final ArrayDeque<WorkCompletion> back = new ArrayDeque<>();
  private final AtomicInteger count = new AtomicInteger();

  FlawedCq(ObjectControl control, CqInit init, CompletionQueue inner, Flaw flaw) {
    super(control, init);
    this.inner = inner;
    this.flaw = flaw;
    inner.connect(
        new CompletionNotifier() {
          @Override
          public void notifyCompletion(CompletionQueue cq) {
            fire();
          }

          @Override
          public int processDirect(CompletionQueue cq, int budget) {
            return PostStatus.INVALID;
          }
        });
  }

  CompletionQueue inner() {
    return inner;
  }

  private void fire() {
    CompHandler handler = init().compHandler();
    if (handler != null && flaw == Flaw.HANDLER_IN_CHAIN) {
      handler.complete(this, init().context());
    } else if (handler != null && flaw == Flaw.TWO_HANDLERS) {
      for (int i = 0; i < 2; i++) {
        Thread.ofPlatform().daemon().start(() -> handler.complete(this, init().context()));
      }
    } else if (handler != null && flaw == Flaw.LOCKED_HANDLER) {
      Thread.ofPlatform().daemon().start(() -> locked(handler));
    } else if (handler != null
        && flaw == Flaw.HANDLER_IN_CHAIN_AT_TIMES
        && count.incrementAndGet() % 20 == 0) {
      handler.complete(this, init().context());
    } else {
      notifyCompletion();
    }
  }

  private void locked(CompHandler handler) {
    synchronized (back) {
      handler.complete(this, init().context());
    }
  }

  private static void join() {
    try {
      Thread.ofPlatform().start(() -> {}).join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int poll(WorkCompletion[] into, int most) {
    if (flaw == Flaw.JOINS_IN_POLL) {
      join();
    }
    if (flaw == Flaw.WRONG_ORDER_IN_A_CALL) {
      int n = inner.poll(into, most);
      Collections.reverse(Arrays.asList(into).subList(0, Math.max(0, n)));
      return n;
    }
    synchronized (back) {
      WorkCompletion[] two = {new WorkCompletion(), new WorkCompletion()};
      int n = inner.poll(two, flaw == Flaw.WRONG_ORDER ? 2 : 1);
      if (n < 0 && back.isEmpty()) {
        return flaw == Flaw.CLOSED_IS_EMPTY ? 0 : n;
      }
      for (int i = Math.max(0, n) - 1; i >= 0; i--) {
        keep(two[i]);
      }
      if (back.isEmpty() || most == 0) {
        return 0;
      }
      into[0].set(back.removeFirst());
      return 1;
    }
  }

  private void keep(WorkCompletion wc) {
    boolean flush = wc.status() == WcStatus.WR_FLUSH_ERR;
    if (flaw == Flaw.LOST_FLUSH && flush && count.incrementAndGet() % 5 == 0) {
      return;
    }
    switch (flaw) {
      case NO_IMMEDIATE -> wc.wcFlags(wc.wcFlags() & ~WcFlags.WITH_IMM);
      case WRONG_LENGTH -> wc.byteLen(wc.byteLen() + (wc.opcode() == WcOpcode.RECV ? 1 : 0));
      case NO_QPN -> wc.qpn(0);
      case WRONG_STATUS ->
          wc.status(wc.status() == WcStatus.REM_ACCESS_ERR ? WcStatus.GENERAL_ERR : wc.status());
      default -> {
        // the other flaws are elsewhere
      }
    }
    back.addLast(wc);
    if (flaw == Flaw.TOLD_TWICE || flaw == Flaw.FLUSHED_TWICE && flush) {
      WorkCompletion again = new WorkCompletion();
      again.set(wc);
      back.addLast(again);
    }
  }

  @Override
  public int requestNotify(int flags) {
    if (flaw == Flaw.LOST_WAKE_UP && count.incrementAndGet() % 7 == 0) {
      return 0;
    }
    if (flaw == Flaw.NO_MISSED_EVENTS) {
      return Math.min(0, inner.requestNotify(flags));
    }
    return inner.requestNotify(flaw == Flaw.SOLICITED_IGNORED ? NotifyFlags.NEXT_COMP : flags);
  }

  @Override
  public int entries() {
    return inner.entries();
  }

  @Override
  public boolean startPoll() {
    return inner.startPoll();
  }

  @Override
  public boolean nextPoll() {
    return inner.nextPoll();
  }

  @Override
  public void endPoll() {
    inner.endPoll();
  }

  @Override
  public long wrId() {
    return inner.wrId();
  }

  @Override
  public WcStatus status() {
    return inner.status();
  }

  @Override
  public WcOpcode opcode() {
    return inner.opcode();
  }

  @Override
  public int byteLen() {
    return inner.byteLen();
  }

  @Override
  public int immData() {
    return inner.immData();
  }

  @Override
  public int wcFlags() {
    return inner.wcFlags();
  }

  @Override
  public int qpn() {
    return inner.qpn();
  }

  @Override
  public int srcQp() {
    return inner.srcQp();
  }

  @Override
  public void readCurrent(WorkCompletion into) {
    inner.readCurrent(into);
  }

  @Override
  protected void doResize(int entries) {
    Inner.call(inner, "doResize", entries);
  }

  @Override
  protected void doModerate(int moderateCount, int periodUs) {
    Inner.call(inner, "doModerate", moderateCount, periodUs);
  }

  @Override
  protected void doDestroy() {
    Inner.call(inner, "doDestroy");
  }
}
