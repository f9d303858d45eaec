package ib.core.spi;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A queue pair has changed its state. */
@Name("ib.QpState")
@Label("QP state")
@Description("A queue pair has changed its state")
@Category("InfiniBand")
@Enabled(false)
@StackTrace(false)
final class QpStateEvent extends Event {
  @Label("Device")
  @Description("node GUID")
  public String device = "";

  @Label("QPN")
  public int qpn;

  @Label("From")
  public String from = "";

  @Label("To")
  public String to = "";

  @Label("Cause")
  public String cause = "";
}
