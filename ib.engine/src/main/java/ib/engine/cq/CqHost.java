package ib.engine.cq;

import ib.engine.run.Worker;

/** The device, as its completion queues know it. Any thread may call; no method blocks. */
public abstract class CqHost {
  /** Makes one. */
  protected CqHost() {}

  /** {@return the worker that runs the timers} */
  protected abstract Worker worker();

  /** {@return the GUID of the node, for the trace} */
  protected abstract long nodeGuid();

  /** A poller has found nothing: it receives itself where it may. Returns whether it did. */
  protected abstract boolean progress();

  /** Notifies the wires that a polling thread is about to sleep. */
  protected abstract void pollersRest();

  /** A notification has thrown an exception. */
  protected abstract void notifyFailed();

  /** A completion queue was destroyed. */
  protected abstract void cqClosed();
}
