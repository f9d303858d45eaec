package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.IbDevice;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Runs one case under a watch: a device that hangs fails its case with the stack of the hang. */
final class CaseThread {
  private static final long LIMIT_MS = TimeUnit.SECONDS.toMillis(Long.getLong("ib.kit.limit", 60));

  private final Case what;
  private final Bench bench;
  private volatile @Nullable Throwable thrown;

  CaseThread(Case what, Bench bench) {
    this.what = what;
    this.bench = bench;
  }

  void run() {
    assumePossible();
    Thread thread = Thread.ofPlatform().daemon().name("ib.kit " + what.id()).start(this::body);
    try {
      thread.join(LIMIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      String stack =
          Arrays.stream(thread.getStackTrace())
              .map(StackTraceElement::toString)
              .collect(Collectors.joining("\n\tat ", "\tat ", ""));
      thread.interrupt();
      throw new AssertionError(what.title() + ": hangs\n" + stack);
    }
    Throwable t = thrown;
    if (t != null) {
      CaseThread.<RuntimeException>raise(t);
    }
  }

  private void assumePossible() {
    Assumptions.assumeTrue(
        bench.lossless() || !what.lossless(), () -> "the fabric loses packets: " + what.title());
    if (what.needs().isEmpty()) {
      return;
    }
    for (String name : bench.devices()) {
      IbDevice device = bench.core().device(name).orElseGet(() -> Assertions.fail("no " + name));
      List<Cap> missing = what.needs().stream().filter(c -> !device.has(c)).sorted().toList();
      Assumptions.assumeTrue(
          missing.isEmpty(), () -> name + " does not have " + missing + ": " + what.title());
    }
  }

  private void body() {
    try (Trial trial = new Trial(what, bench)) {
      what.body().run(trial);
      trial.settled();
    } catch (Throwable t) {
      thrown = t;
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // an AssertionError stays one
  private static <T extends Throwable> void raise(Throwable t) throws T {
    throw (T) t;
  }
}
