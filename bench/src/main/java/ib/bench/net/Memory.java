package ib.bench.net;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.driver.rxe.udp.UdpOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What connected queue pairs take of the heap, when each has sent and received a message. */
final class Memory {
  private static final String ADDRESS = "127.0.255.1";
  private static final int BYTES = 64;
  private static final int COLLECTIONS = 3;

  private Memory() {}

  /**
   * Makes queue pairs on one device, connected two by two over datagrams, and exchanges a message
   * each way.
   *
   * @return bytes of the heap, and of the resident memory of this JVM, that came with them
   */
  static String ofQueuePairs(int count, int depth) throws IOException {
    List<InetAddress> address = List.of(InetAddress.ofLiteral(ADDRESS));
    try (BareNode node = new BareNode(address, "NATIVE", "POLL", UdpOptions.Local.WIRE, "")) {
      ProtectionDomain pd = node.device().allocPd();
      CompletionQueue cq = node.device().createCq(new CqInit(4096));
      MemoryRegion memory = pd.allocMemory(4096, 4096, Access.LOCAL_WRITE);
      exchange(pair(node, pd, cq, depth), cq, memory).forEach(QueuePair::close); // classes, pools
      long heap = heap();
      long resident = resident();
      List<QueuePair> all = new ArrayList<>();
      for (int i = 0; i < count; i += 2) {
        all.addAll(exchange(pair(node, pd, cq, depth), cq, memory));
      }
      String answer = (heap() - heap) + " " + (resident() - resident);
      all.forEach(QueuePair::close);
      cq.close();
      memory.close();
      pd.close();
      return answer;
    }
  }

  private static List<QueuePair> pair(
      BareNode node, ProtectionDomain pd, CompletionQueue cq, int depth) {
    QpInit init = new QpInit(QpType.RC, cq, new QpCap(depth, depth, 1, 1, 0));
    List<QueuePair> two = List.of(pd.createQp(init), pd.createQp(init));
    for (int i = 0; i < 2; i++) {
      QueuePair qp = two.get(i);
      int gid = node.gidIndex();
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
      qp.modify(
          new QpAttr()
              .state(QpState.RTR)
              .av(AhAttr.ofGid(1, GlobalRoute.to(node.device().gid(1, gid), gid)))
              .pathMtu(Mtu.MTU_4096)
              .destQpn(two.get(1 - i).qpn())
              .rqPsn(0)
              .maxDestRdAtomic(1)
              .minRnrTimer(1));
      qp.modify(
          new QpAttr()
              .state(QpState.RTS)
              .timeout(17)
              .retryCount(7)
              .rnrRetry(7)
              .sqPsn(0)
              .maxRdAtomic(1));
    }
    return two;
  }

  private static List<QueuePair> exchange(
      List<QueuePair> two, CompletionQueue cq, MemoryRegion memory) {
    for (QueuePair qp : two) {
      check(qp.postReceive(1, memory.lkey(), memory.iova(), BYTES));
    }
    for (QueuePair qp : two) {
      qp.wrStart();
      qp.wrId(2).wrFlags(SendFlags.SIGNALED);
      qp.wrSend();
      qp.wrSetSge(memory.lkey(), memory.iova(), BYTES);
      check(qp.wrComplete());
    }
    for (int done = 0; done < 4; ) {
      if (cq.startPoll()) {
        do {
          check(cq.status() == WcStatus.SUCCESS ? 0 : -1);
          done++;
        } while (cq.nextPoll());
        cq.endPoll();
      }
    }
    return two;
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException("status " + status);
    }
  }

  private static long heap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long resident() throws IOException {
    String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
    return Long.parseLong(pages) * 4096;
  }
}
