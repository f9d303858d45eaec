package ib.cm.rdma;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A connection by address, from the attempt to make it to its end. */
@Name("ib.Connection")
@Label("Connection")
@Description("A connection by address, from the attempt to make it to its end")
@Category("InfiniBand")
@StackTrace(false)
final class ConnectionEvent extends Event {
  @Label("Connection")
  public String what = "";

  @Label("Device")
  public String device = "";

  @Label("Local address")
  public String local = "";

  @Label("Remote address")
  public String remote = "";

  @Label("Port space")
  public String space = "";

  @Label("Type of the queue pair")
  public String type = "";

  @Label("Until the way was known")
  @Description("from the beginning; negative when no way was found")
  @Timespan(Timespan.NANOSECONDS)
  public long resolved = -1;

  @Label("Until both sides were ready")
  @Description("from the beginning; negative when they never were")
  @Timespan(Timespan.NANOSECONDS)
  public long ready = -1;

  @Label("End")
  @Description("the event of librdmacm, without RDMA_CM_EVENT")
  public String end = "";

  @Label("Status")
  @Description("reason of a rejection, negative error number, or 0")
  public int status;
}
