package ib.core.spi;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A work request was accepted. */
@Name("ib.Post")
@Label("Post")
@Description("A work request was accepted")
@Category("InfiniBand")
@Enabled(false)
@StackTrace(false)
final class PostEvent extends Event {
  @Label("Device")
  @Description("node GUID")
  public String device = "";

  @Label("QPN")
  public int qpn;

  @Label("Send queue")
  public boolean send;

  @Label("Work request")
  public long wrId;

  @Label("Opcode")
  public String opcode = "";
}
