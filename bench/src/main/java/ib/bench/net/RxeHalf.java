package ib.bench.net;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.driver.rxe.udp.Addresses;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Ours: an RC connection between two RoCEv2 devices. */
final class RxeHalf implements Half {
  private static final int EVERYTHING =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
  private static final int LIST = 32;
  private static final int DEPTH = 1024;
  private static final long STREAM_BYTES = 2 << 20; // under way
  private static final int SIGNAL_EVERY = 64;

  private final Spec spec;
  private final boolean writes;
  private final boolean sleeps;
  private final Node node;
  private final ProtectionDomain pd;
  private final CompletionQueue sendCq;
  private final CompletionQueue recvCq;
  private final MemoryRegion memory;
  private final QueuePair qp;
  private final InetAddress peer;
  private int remoteRkey;
  private long remoteAddress;
  private long posted;
  private long outstanding;
  private volatile long answered; // by the handler
  private volatile boolean resting = true;
  private volatile boolean closing;

  RxeHalf(Spec spec, boolean serves) throws IOException {
    this.spec = spec;
    this.writes = spec.system().equals("rxe-write");
    this.sleeps = spec.pattern() == Spec.Pattern.SLEEP;
    peer = InetAddress.ofLiteral(serves ? spec.client() : spec.server());
    node = open(spec, serves);
    pd = node.device().allocPd();
    sendCq = node.device().createCq(new CqInit(2 * DEPTH));
    recvCq =
        node.device()
            .createCq(
                sleeps
                    ? new CqInit(2 * DEPTH, (cq, context) -> told(serves), null)
                    : new CqInit(2 * DEPTH));
    memory = pd.allocMemory(Math.max(4096, spec.bytes()), 4096, EVERYTHING);
    QpCap cap = new QpCap(DEPTH, DEPTH, 1, 1, 64);
    qp = pd.createQp(new QpInit(QpType.RC, sendCq, cap).withRecvCq(recvCq));
  }

  private static Node open(Spec spec, boolean serves) throws IOException {
    String here = serves ? spec.server() : spec.client();
    if (spec.system().equals("rxe-defaults")) {
      return new ShippedNode(here);
    }
    String io = spec.system().equals("rxe-portable") ? "PORTABLE" : "NATIVE";
    String loss =
        switch (spec.system()) {
          case "rxe-loss-0.1%" -> "loss rate=0.001 dir=out";
          case "rxe-loss-1%" -> "loss rate=0.01 dir=out";
          default -> "";
        };
    UdpOptions.Local local =
        spec.system().equals("rxe-datagrams") ? UdpOptions.Local.WIRE : UdpOptions.Local.MEMORY;
    return new BareNode(
        List.of(InetAddress.ofLiteral(here)),
        io,
        spec.progress().toUpperCase(Locale.ROOT),
        local,
        serves ? "" : loss);
  }

  @Override
  public long sent() {
    return node.counter(UdpCounter.UDP_SENT);
  }

  @Override
  public long cut() {
    return node.counter(UdpCounter.GSO_SENT);
  }

  @Override
  public String about() {
    return qp.qpn() + "/" + memory.rkey() + "/" + memory.iova();
  }

  @Override
  public void connect(String about) {
    String[] words = about.split("/");
    remoteRkey = Integer.parseInt(words[1]);
    remoteAddress = Long.parseLong(words[2]);
    Gid gid = Addresses.gid(peer);
    Mtu mtu = spec.packet() >= 4096 ? Mtu.MTU_4096 : Mtu.MTU_1024;
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(EVERYTHING));
    for (int i = 0; i < DEPTH; i++) {
      receive();
    }
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofGid(1, GlobalRoute.to(gid, node.gidIndex())))
            .pathMtu(mtu)
            .destQpn(Integer.parseInt(words[0]))
            .rqPsn(0)
            .maxDestRdAtomic(16)
            .minRnrTimer(1));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .timeout(spec.system().contains("loss") ? 12 : 14)
            .retryCount(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(16));
    if (sleeps) {
      recvCq.requestNotify(NotifyFlags.NEXT_COMP);
    }
  }

  private void receive() {
    check(qp.postReceive(1, memory.lkey(), memory.iova(), spec.bytes()));
  }

  private void send(int count) {
    qp.wrStart();
    for (int i = 1; i <= count; i++) {
      posted++;
      boolean signaled = count > 1 || sleeps || stream() ? i == count : posted % SIGNAL_EVERY == 0;
      qp.wrId(i).wrFlags(signaled ? SendFlags.SIGNALED : 0);
      if (writes) {
        qp.wrRdmaWrite(remoteRkey, remoteAddress);
      } else {
        qp.wrSend();
      }
      qp.wrSetSge(memory.lkey(), memory.iova(), spec.bytes());
    }
    check(qp.wrComplete());
  }

  private boolean stream() {
    return spec.pattern() == Spec.Pattern.STREAM;
  }

  private static int reap(CompletionQueue cq) {
    int n = 0;
    if (cq.startPoll()) {
      do {
        if (cq.status() != WcStatus.SUCCESS) {
          throw new IllegalStateException("completed with " + cq.status());
        }
        n++;
      } while (cq.nextPoll());
      cq.endPoll();
    }
    return n;
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException("post returned " + status);
    }
  }

  @Override
  public void serve(BooleanSupplier stop) {
    node.look();
    while (!stop.getAsBoolean()) {
      if (sleeps) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        continue;
      }
      int n = reap(recvCq);
      for (int i = 0; i < n; i++) {
        receive();
      }
      if (n > 0 && !stream()) {
        send(n);
        if ((posted & 31) < n || n > 1) {
          reap(sendCq);
        }
      }
    }
  }

  /** A completion vector calls: the other end's message is there. */
  private void told(boolean serves) {
    if (closing) {
      return; // what is left is flushed
    }
    int n = reap(recvCq);
    recvCq.requestNotify(NotifyFlags.NEXT_COMP);
    n += reap(recvCq);
    for (int i = 0; i < n; i++) {
      receive();
      answered++;
      if (serves || !resting) {
        send(1);
      }
    }
    reap(sendCq);
  }

  @Override
  public long drive(long untilNs) {
    node.look();
    return switch (spec.pattern()) {
      case RTT -> roundTrips(untilNs);
      case SLEEP -> asleep(untilNs);
      case STREAM -> streamed(untilNs);
    };
  }

  private long roundTrips(long untilNs) {
    long n = 0;
    if (posted == 0) {
      send(2); // shows that what the system cuts arrives
      for (int i = 0; i < 2; i += reap(recvCq)) {
        Thread.onSpinWait();
      }
      receive();
      receive();
    }
    while (System.nanoTime() < untilNs) {
      send(1);
      while (reap(recvCq) == 0) {
        Thread.onSpinWait();
      }
      receive();
      if ((++n & 31) == 0) {
        reap(sendCq);
      }
    }
    return n;
  }

  private long asleep(long untilNs) {
    long before = answered;
    resting = false;
    send(1);
    long left = untilNs - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = untilNs - System.nanoTime();
    }
    long n = answered - before;
    resting = true;
    return n;
  }

  private long streamed(long untilNs) {
    int list = spec.bytes() <= 4096 ? LIST : 1;
    long most = Math.min(DEPTH, STREAM_BYTES / spec.bytes());
    long done = 0;
    while (System.nanoTime() < untilNs) {
      if (outstanding + list <= most) {
        send(list);
        outstanding += list;
      }
      int n = reap(sendCq) * list;
      done += n;
      outstanding -= n;
    }
    return spec.bytes() > spec.packet() ? done * spec.bytes() / spec.packet() : done;
  }

  @Override
  public void close() {
    if (Boolean.getBoolean("bench.counters")) {
      System.err.println(spec.text() + " " + node.counters());
    }
    closing = true;
    qp.close();
    sendCq.close();
    recvCq.close();
    memory.close();
    pd.close();
    node.close();
  }
}
