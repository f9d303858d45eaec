package ib.core.internal.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A callback or a phase of a device's coming and going. */
@Name("ib.Hotplug")
@Label("Hot-plug phase")
@Description("A callback or a phase of a device's coming and going")
@Category("InfiniBand")
@Enabled(false)
@StackTrace(false)
public final class HotplugEvent extends Event {
  @Label("Device")
  public String device = "";

  @Label("Phase")
  public String phase = "";

  @Label("Client")
  public String client = "";

  @Label("Failure")
  public String failure = "";
}
