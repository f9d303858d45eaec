package ib.core.internal.sa;

import ib.core.sa.McMemberRecord;
import ib.core.sa.SaMembership;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import org.jspecify.annotations.Nullable;

/**
 * One caller's share. Nothing changes its two records, so that any thread may read them and none
 * waits for another.
 */
final class Membership implements SaMembership {
  private final Session session;
  final McMemberRecord request;
  final @Nullable Gid like;
  private final Listener listener;
  private volatile McMemberRecord record;
  private volatile State state = State.JOINING;

  Membership(Session session, McMemberRecord request, @Nullable Gid like, Listener listener) {
    this.session = session;
    this.request = request.copy();
    this.like = like;
    this.record = this.request;
    this.listener = listener;
  }

  boolean belongsTo(Session other) {
    return session.equals(other);
  }

  int joinState() {
    return request.value(McMemberRecord.Field.JOIN_STATE);
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public McMemberRecord record() {
    return record.copy();
  }

  /** Changes the state, on the port's serial; the listener is called on the session's serial. */
  void changed(State to, McMemberRecord with, @Nullable IbException why) {
    if (state == State.CLOSED) {
      return;
    }
    record = with;
    state = to;
    session
        .callbacks()
        .execute(
            () -> {
              if (state != State.CLOSED) {
                listener.changed(this, to, why);
              }
            });
  }

  /** Returns to JOINING after a refusal, because a new attempt may succeed. */
  void again() {
    if (state != State.CLOSED) {
      state = State.JOINING;
    }
  }

  /** Ends the membership; the listener is not called any more. */
  void end() {
    state = State.CLOSED;
  }

  @Override
  public void renew() {
    session.renew(this);
  }

  @Override
  public void close() {
    session.close(this);
  }

  @Override
  public String toString() {
    return state + " of " + record;
  }
}
