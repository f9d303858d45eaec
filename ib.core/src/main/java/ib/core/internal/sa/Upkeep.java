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
 * One registration of this port with the subnet administrator (a multicast membership or an event
 * subscription), sent again whenever the administrator may have lost it. At most one request is
 * outstanding, so that requests never overtake each other (I8). Used on the port's serial only.
 */
abstract class Upkeep {
  /** The first pause between attempts (I5). */
  static final int PAUSE_FIRST_MS = 50;

  /** The longest pause at first: half of what a rejoin may take once the administrator answers. */
  static final int PAUSE_SOON_MS = 125;

  /** How many attempts use that pause: about 5 s, the first sweep of a large subnet. */
  static final int SOON = 40;

  /** The longest pause afterwards. */
  static final int PAUSE_LAST_MS = 1000;

  /** How often a withdrawal is sent to a subnet administrator that does not answer. */
  static final int FAREWELLS = 3;

  /** The next request to the subnet administrator. */
  interface Step<S extends SaRecord<S, ?>> {
    /** {@return MadMethod.SET or DELETE} */
    int method();

    /** {@return the record} */
    S record();

    /** Called when the administrator has accepted the request. */
    void done(S answer);

    /** Called when the administrator has refused for good, or has not answered a withdrawal. */
    void refused(IbException why);

    /** {@return whether the request is a withdrawal, which is not repeated without limit} */
    boolean farewell();
  }

  final SaPort port;
  private boolean busy;
  private int fruitless;
  private int farewells;
  private int generation;
  private World.@Nullable Alarm alarm;
  private @Nullable CompletableFuture<?> asking; // a request that an event may cancel and repeat

  Upkeep(SaPort port) {
    this.port = port;
  }

  /** {@return the request to send now, or null} */
  abstract @Nullable Step<?> next();

  /** Called when the administrator may have lost the registration. */
  abstract void lost(IbException why);

  /** {@return whether no registration is wanted and none was sent} */
  abstract boolean empty();

  /** Sends the next request, if there is one and the administrator can be reached. */
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
      pause(); // the administrator did answer: it gets no request for a while
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

  /** Registers again, because an event says that the administrator may have lost registrations. */
  final void forgotten(IbException why) {
    generation++;
    restart();
    lost(why);
  }

  /** Sends again, because an event says that the administrator may be reachable only now. */
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
    alarm = World.cancelled(alarm);
  }
}
