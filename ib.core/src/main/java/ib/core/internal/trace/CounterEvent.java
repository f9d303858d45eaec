package ib.core.internal.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** The value of a counter, at each period of a recording. */
@Name("ib.Counter")
@Label("Counter")
@Description("The value of a counter of a port")
@Category("InfiniBand")
@Enabled(false)
@Period("1 s")
@StackTrace(false)
public final class CounterEvent extends Event {
  @Label("Device")
  public String device = "";

  @Label("Port")
  public int port;

  @Label("Counter")
  public String counter = "";

  @Label("Value")
  public long value;
}
