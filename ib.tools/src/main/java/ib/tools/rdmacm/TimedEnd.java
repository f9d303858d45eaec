package ib.tools.rdmacm;

import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/** One end of a connection without messages, and the times of its steps. */
class TimedEnd extends End {
  /** The steps in their order. */
  enum Step {
    RESOLVE("resolve"),
    CREATE_QP("create qp"),
    CONNECT("connect"),
    DISCONNECT("disconnect"),
    DESTROY("destroy");

    /** The name of the step in the table. */
    final String text;

    Step(String text) {
      this.text = text;
    }
  }

  private static final int STEPS = Step.values().length;
  private static final QpCap CAP = new QpCap(1, 1, 1, 1, 0);

  private final AtomicLongArray begun = new AtomicLongArray(STEPS);
  private final AtomicLongArray took;

  TimedEnd(Program program) {
    super(program);
    long[] none = new long[STEPS];
    Arrays.fill(none, -1);
    took = new AtomicLongArray(none);
  }

  /** A step begins. */
  final void begin(Step step) {
    begun.set(step.ordinal(), System.nanoTime());
  }

  private void end(Step step) {
    took.set(step.ordinal(), System.nanoTime() - begun(step));
  }

  /** Takes a step. */
  final void time(Step step, Runnable action) {
    begin(step);
    action.run();
    end(step);
  }

  /** {@return when a step has begun, in ns} */
  final long begun(Step step) {
    return begun.get(step.ordinal());
  }

  /** {@return how long a step took, in ns; negative when it was not taken} */
  final long took(Step step) {
    return took.get(step.ordinal());
  }

  /** {@return whether the connection was made} */
  final boolean connected() {
    return took(Step.CONNECT) >= 0;
  }

  @Override
  protected QpType type() {
    return QpType.RC;
  }

  @Override
  protected Size size(IbDevice device, int port) {
    return new Size(CAP, 0, 0);
  }

  @Override
  protected void completed(WorkCompletion wc) {
    throw new IllegalStateException("nothing was posted: " + wc);
  }

  @Override
  public QueuePair make(IbDevice device, int port) {
    end(Step.RESOLVE);
    begin(Step.CREATE_QP);
    return super.make(device, port);
  }

  @Override
  public void initialized(QueuePair qp) {
    end(Step.CREATE_QP);
    begin(Step.CONNECT);
  }

  @Override
  public void established(RdmaConnection connection) {
    end(Step.CONNECT);
    super.established(connection);
  }

  @Override
  public void ended(RdmaConnection connection, RdmaEnd how) {
    if (begun(Step.DISCONNECT) != 0) {
      end(Step.DISCONNECT);
    }
    super.ended(connection, how);
  }

  /** Waits until the connection is made or has failed; {@return which} */
  final boolean awaitConnected() {
    while (!connected() && end() == null) {
      idle();
    }
    return connected();
  }

  /** Disconnects, unless the connection was not made. */
  final void disconnect(RdmaConnection connection) {
    if (connected()) {
      begin(Step.DISCONNECT);
      connection.disconnect();
    }
  }

  /** Waits until the connection has ended. */
  final void awaitEnd() {
    while (end() == null) {
      idle();
    }
  }
}
