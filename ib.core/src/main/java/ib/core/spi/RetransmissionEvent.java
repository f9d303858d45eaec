package ib.core.spi;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A queue pair sends again from a sequence number on. */
@Name("ib.Retransmission")
@Label("Retransmission")
@Description("A queue pair sends again from a sequence number on")
@Category("InfiniBand")
@Enabled(false)
@StackTrace(false)
final class RetransmissionEvent extends Event {
  @Label("Device")
  @Description("node GUID")
  public String device = "";

  @Label("QPN")
  public int qpn;

  @Label("PSN")
  public int psn;
}
