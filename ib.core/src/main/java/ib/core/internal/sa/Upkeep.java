package ib.core.internal.sa;

import ib.core.internal.mad.World;
import ib.core.sa.NoSubnetManagerException;
import ib.core.sa.SaException;
import ib.core.sa.SaRecord;
import ib.core.sa.SaStatus;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbTimedOutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Something that the subnet administrator is to know of this port, and is told again when it may
 * have forgotten: a membership, a subscription. One question at a time, so that they never overtake
 * each other (I8). All on the port's queue.
 */
abstract class Upkeep {
  /** First distance between attempts (I5). */
  static final int PAUSE_FIRST_MS = 50;

  /** The longest one at first: half of what a rejoin may take once somebody answers. */
  static final int PAUSE_SOON_MS = 125;

  /** How many attempts that goes for: some 5 s, the first sweep of a large subnet. */
  static final int SOON = 40;

  /** The longest one then. */
  static final int PAUSE_LAST_MS = 1000;

  /** How often the end of something is told to a subnet administrator that does not answer. */
  static final int FAREWELLS = 3;

  /** What to tell the subnet administrator next. */
  interface Step<S extends SaRecord<S, ?>> {
    /** {@return MadMethod.SET or DELETE} */
    int method();

    /** {@return the record} */
    S record();

    /** It has agreed. */
    void done(S answer);

    /** It has refused for good, or, of a farewell, did not answer. */
    void refused(IbException why);

    /** {@return whether it ends something: it is not tried for ever} */
    boolean farewell();
  }

  final SaPort port;
  private boolean busy;
  private int fruitless;
  private int farewells;
  private int generation;
  private World.@Nullable Alarm alarm;
  private @Nullable CompletableFuture<?> asking; // what may be given up to ask anew

  Upkeep(SaPort port) {
    this.port = port;
  }

  /** {@return what is to be told now, or null} */
  abstract @Nullable Step<?> next();

  /** What was told may be forgotten. */
  abstract void lost(IbException why);

  /** {@return whether nothing is wanted and nothing was told} */
  abstract boolean empty();

  /** Goes on, if there is something to do and somebody to tell. */
  final void step() {
    if (busy || alarm != null) {
      return;
    }
    if (empty()) {
      port.forget(this);
      return;
    }
    Step<?> next = port.reachable() ? next() : null;
    if (next != null) {
      ask(next);
    }
  }

  private <S extends SaRecord<S, ?>> void ask(Step<S> step) {
    busy = true;
    int asked = generation;
    int timeoutMs = Math.max(2 * PAUSE_FIRST_MS, pauseMs(fruitless));
    CompletableFuture<S> attempt = port.attempt(step.method(), step.record(), timeoutMs);
    asking = step.farewell() ? null : attempt; // an end never overtakes its beginning
    attempt.whenComplete(
        (answer, failure) ->
            port.run(
                () -> {
                  busy = false;
                  asking = null;
                  if (asked == generation) {
                    answered(step, answer, failure);
                  }
                  step();
                }));
  }

  /**
   * {@return the distance to the next attempt, in ms}
   *
   * @param fruitless how many attempts there were since the last answer or event
   */
  static int pauseMs(int fruitless) {
    return fruitless < SOON
        ? Math.min(PAUSE_FIRST_MS << Math.min(fruitless, 4), PAUSE_SOON_MS)
        : Math.min(PAUSE_SOON_MS << Math.min(fruitless - SOON + 1, 4), PAUSE_LAST_MS);
  }

  private <S extends SaRecord<S, ?>> void answered(
      Step<S> step, @Nullable S answer, @Nullable Throwable failure) {
    if (answer != null) {
      fruitless = 0;
      farewells = 0;
      step.done(answer);
      return;
    }
    IbException why = cause(failure);
    boolean over = step.farewell() && ++farewells >= FAREWELLS;
    if (over || !passing(why)) {
      farewells = 0;
      step.refused(why);
      return;
    }
    if (!(why instanceof IbTimedOutException)) {
      pause(); // it did answer, and at once: leave it in peace for a while
    }
    fruitless++;
  }

  private void pause() {
    alarm =
        port.after(
            pauseMs(fruitless),
            () -> {
              alarm = null;
              step();
            });
  }

  private static IbException cause(@Nullable Throwable failure) {
    Throwable t = failure instanceof CompletionException c ? c.getCause() : failure;
    return t instanceof IbException e
        ? e
        : new IbDisassociatedException("subnet administrator", String.valueOf(t), "");
  }

  private static boolean passing(IbException why) {
    return why instanceof IbTimedOutException
        || why instanceof NoSubnetManagerException
        || why instanceof SaException sa && sa.status() == SaStatus.BUSY;
  }

  /** An event says that the subnet administrator may have forgotten. */
  final void forgotten(IbException why) {
    generation++;
    restart();
    lost(why);
  }

  /** An event says that it may be reached now: what was asked before may have been lost. */
  final void restart() {
    CompletableFuture<?> vain = asking;
    if (vain != null) {
      generation++;
      vain.cancel(false);
    }
    fruitless = 0;
    farewells = 0;
    stop();
  }

  /** Waits for nothing any more. */
  final void stop() {
    World.Alarm a = alarm;
    if (a != null) {
      a.cancel();
      alarm = null;
    }
  }
}
