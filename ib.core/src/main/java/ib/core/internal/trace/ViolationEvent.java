package ib.core.internal.trace;

import ib.core.client.Violation;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A broken clause of the contract; recorded wherever JFR records, because there are few. */
@Name("ib.Violation")
@Label("Broken clause")
@Description("A client or a driver broke a clause of the contract")
@Category("InfiniBand")
@StackTrace(false)
public final class ViolationEvent extends Event {
  @Label("Clause")
  public String clause = "";

  @Label("Culprit")
  public String culprit = "";

  @Label("What")
  public String what = "";

  @Label("Instead")
  public String instead = "";

  @Label("Stack")
  public String stack = "";

  @Label("Other stack")
  public String otherStack = "";

  /**
   * Emits the event of a violation.
   *
   * @param violation what was broken
   */
  public static void emit(Violation violation) {
    ViolationEvent event = new ViolationEvent();
    if (event.isEnabled()) {
      event.clause = violation.clause();
      event.culprit = violation.culprit();
      event.what = violation.text();
      event.instead = violation.instead();
      event.stack = String.join("\n", violation.stack());
      event.otherStack = String.join("\n", violation.otherStack());
      event.commit();
    }
  }
}
