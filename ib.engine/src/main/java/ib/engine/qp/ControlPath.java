package ib.engine.qp;

import ib.core.spi.QpDiagnosis;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.engine.link.Link;
import org.jspecify.annotations.Nullable;

/**
 * The control path of a queue pair as objects of the verbs see it: any thread may call, and waits
 * for the claim of the queue pair.
 */
public abstract class ControlPath extends QpHistory {
  private static final long ENTER_NS = 5_000_000_000L; // runs are bounded: this is a bug or worse

  /** Makes that of a queue pair. */
  protected ControlPath(QpCore qp) {
    super(qp);
  }

  /** {@return when a caller that begins to wait now gives up, in the time of the machine} */
  public static long deadline() {
    return System.nanoTime() + ENTER_NS;
  }

  /** Changes state and attributes, all or nothing. */
  public abstract void modify(QpAttr attr, QpState to);

  /** {@return the port, which a queue pair has from INIT on} */
  public abstract Link port(String method);

  /** {@return a copy of the attributes} */
  public abstract QpAttr query();

  /** {@return the diagnosis of the queue pair, made while the calling thread holds its claim} */
  public abstract QpDiagnosis.Report diagnose(String device);

  /**
   * Claims the queue pair for ever. Afterwards no thread runs it, and every accepted request has
   * completed (D4).
   *
   * @param end when to stop waiting, in {@link System#nanoTime}
   * @return its diagnosis when it was in trouble, else null
   * @throws IbTimedOutException when another thread still holds the claim. That thread finds the
   *     queue pair destroyed when it goes on; the memory that it may be using must stay
   */
  public abstract QpDiagnosis.@Nullable Report kill(long end);

  /**
   * Waits until the claim was free once and no packet of the queue pair is being copied.
   *
   * @param end when to stop waiting, in {@link System#nanoTime}
   * @throws IbTimedOutException when another thread still holds the claim then
   */
  public abstract void passBy(long end);
}
