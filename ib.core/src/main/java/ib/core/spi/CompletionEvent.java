package ib.core.spi;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A work request has completed. */
@Name("ib.Completion")
@Label("Completion")
@Description("A work request has completed")
@Category("InfiniBand")
@Enabled(false)
@StackTrace(false)
final class CompletionEvent extends Event {
  @Label("Device")
  @Description("node GUID")
  public String device = "";

  @Label("QPN")
  public int qpn;

  @Label("Work request")
  public long wrId;

  @Label("Status")
  public String status = "";

  @Label("Opcode")
  public String opcode = "";

  @Label("Bytes")
  public long bytes;
}
