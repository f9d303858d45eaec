package ib.kit;

import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.NotifyFlags;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** A completion handler that notices what it must never see (S20, S23, S24). */
final class Probe implements CompHandler {
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final Consumer<CompletionQueue> action;
  private volatile boolean overlapped;
  private volatile boolean inChain;
  private volatile @Nullable Thread caller;
  private volatile @Nullable Object context;

  Probe() {
    this(cq -> {});
  }

  Probe(Consumer<CompletionQueue> action) {
    this.action = action;
  }

  /** A queue that calls this probe, with the probe as context. */
  CompletionQueue cq(IbDevice device) {
    return device.createCq(new CqInit(End.CQ_ENTRIES, this, this));
  }

  @Override
  public void complete(CompletionQueue cq, @Nullable Object given) {
    if (inside.incrementAndGet() != 1) {
      overlapped = true;
    }
    Thread here = Thread.currentThread();
    if (here.equals(caller) || Flood.isProducer(here)) {
      inChain = true;
    }
    context = given;
    try {
      action.accept(cq);
    } finally {
      inside.decrementAndGet();
      calls.incrementAndGet();
    }
  }

  int calls() {
    return calls.get();
  }

  @Nullable Object context() {
    return context;
  }

  /** Makes a verbs call whose stack must not carry the handler. */
  void during(Runnable call) {
    caller = Thread.currentThread();
    try {
      call.run();
    } finally {
      caller = null;
    }
  }

  Probe arm(CompletionQueue cq) {
    Assertions.assertEquals(0, cq.requestNotify(NotifyFlags.NEXT_COMP), "requestNotify");
    return this;
  }

  void awaitCalls(int n) {
    Await.until(n + " calls of the handler, not " + calls(), () -> calls() >= n);
    assertRight();
  }

  void assertRight() {
    Assertions.assertFalse(overlapped, "two handlers of one CQ at the same time (S23, S24)");
    Assertions.assertFalse(inChain, "the handler ran on the stack of a verbs call (S20)");
  }
}
