package ib.tools.perftest;

import ib.core.verbs.Mtu;
import java.io.PrintStream;

/** The lines before the table, as the original's. */
final class Headline {
  private Headline() {}

  /** Prints the settings of the run. */
  static void print(PrintStream out, PerftestOptions options, String device, Side side, Mtu mtu) {
    Tool tool = options.tool();
    boolean lists = options.postList() > 1;
    out.println(Perftest.LINE);
    out.println(" ".repeat(20) + tool.title(options.opcode(), options.duplex(), lists));
    out.println(" Dual-port       : OFF\t\tDevice         : " + device);
    out.println(" Number of qps   : " + options.queuePairs() + "\t\tTransport type : IB");
    out.println(" Connection type : " + options.type() + "\t\tUsing SRQ      : OFF");
    out.println(" PCIe relax order: OFF");
    out.println(" ibv_wr* API     : OFF");
    if (!options.server() || options.duplex()) {
      out.println(" TX depth        : " + options.txDepth());
    }
    if (lists) {
      out.println(" Post List       : " + options.postList());
    }
    if (options.receives() && (options.server() || options.duplex())) {
      out.println(" RX depth        : " + options.rxDepth());
    }
    if (tool.bandwidth()) {
      out.println(" CQ Moderation   : " + options.cqMod());
    }
    out.println(" Mtu             : " + mtu.bytes() + "[B]");
    out.println(" Link type       : " + (side.ethernet() ? "Ethernet" : "IB"));
    if (side.gidIndex() >= 0) {
      out.println(" GID index       : " + side.gidIndex());
    }
    out.println(
        tool.verb.answered()
            ? " Outstand reads  : " + side.outstanding()
            : " Max inline data : " + options.inline() + "[B]");
    CmOptions cm = options.cm();
    out.println(" rdma_cm QPs\t : " + (cm.queuePairs() ? "ON" : "OFF"));
    String tos = cm.trafficClass() > 0 ? " \tTOS    : " + cm.trafficClass() : "";
    out.println(" Data ex. method : " + (cm.exchange() ? "rdma_cm" : "Ethernet") + tos);
    if (cm.queuePairs() && options.server()) {
      out.println(Perftest.LINE);
      out.println(" Waiting for client rdma_cm QP to connect");
      out.println(" Please run the same command with the IB/RoCE interface IP");
    }
    out.println(Perftest.LINE);
  }
}
