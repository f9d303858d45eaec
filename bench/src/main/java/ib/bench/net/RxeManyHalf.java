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
import ib.driver.rxe.udp.Addresses;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Ours: one thread writes over many RC connections in turn to one device, which receives alone. */
final class RxeManyHalf implements Half {
  private static final int EVERYTHING = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
  private static final int UNDER_WAY = 2 << 20; // bytes of all queue pairs, as RxeHalf
  private static final int WINDOW = 128 * 4096; // bytes of one queue pair's full window
  private static final int SEED = 50;
  private static final int TIMEOUT = 16; // 0.27 s, so that a busy machine is no loss

  private final Spec spec;
  private final Shape shape;
  private final BareNode node;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion memory;
  private final List<QueuePair> pairs = new ArrayList<>();
  private final int[] underWay;
  private final List<InetAddress> servers;
  private final InetAddress client;
  private final boolean serves;
  private int remoteRkey;
  private long remoteAddress;
  private int next;
  private int outstanding; // messages

  /**
   * How many connections there are.
   *
   * @param pairs queue pairs
   * @param peers addresses of the server, of which each queue pair has one in turn
   * @param full whether each queue pair has its full window under way; else all share 2 MiB
   */
  record Shape(int pairs, int peers, boolean full) {
    /** {@return that of {@code rxe-qps-n}, {@code rxe-incast-n}, {@code rxe-peers-n}, or null} */
    static @Nullable Shape of(String system) {
      String[] words = system.split("-");
      if (words.length != 3) {
        return null;
      }
      return switch (words[1]) {
        case "qps" -> new Shape(Integer.parseInt(words[2]), 1, false);
        case "incast" -> new Shape(Integer.parseInt(words[2]), 1, true);
        case "peers" -> new Shape(Integer.parseInt(words[2]), Integer.parseInt(words[2]), false);
        default -> null;
      };
    }
  }

  RxeManyHalf(Spec spec, boolean serves) throws IOException {
    Shape of = Shape.of(spec.system());
    if (of == null) {
      throw new IllegalArgumentException(spec.system());
    }
    this.spec = spec;
    this.serves = serves;
    shape = of;
    client = InetAddress.ofLiteral(spec.client());
    servers = shape.peers() == 1 ? List.of(InetAddress.ofLiteral(spec.server())) : random();
    underWay = new int[shape.pairs()];
    node =
        new BareNode(
            serves ? servers : List.of(client),
            "NATIVE",
            spec.progress().toUpperCase(Locale.ROOT),
            UdpOptions.Local.MEMORY,
            "");
    pd = node.device().allocPd();
    cq = node.device().createCq(new CqInit(shape.pairs() * depth() + 1));
    memory = pd.allocMemory(spec.bytes(), 4096, EVERYTHING);
    for (int i = 0; i < shape.pairs(); i++) {
      pairs.add(pd.createQp(new QpInit(QpType.RC, cq, new QpCap(depth(), 1, 1, 1, 0))));
    }
  }

  /** Requests of one queue pair under way at most. */
  private int depth() {
    return Math.max(
        1, (shape.full() ? WINDOW : UNDER_WAY / Math.min(shape.pairs(), 8)) / spec.bytes());
  }

  /** Addresses on the loopback interface, as chance has them: the same at both ends. */
  private List<InetAddress> random() {
    Random random = new Random(SEED);
    return Stream.generate(
            () ->
                "127."
                    + (2 + random.nextInt(250))
                    + "."
                    + random.nextInt(256)
                    + "."
                    + (1 + random.nextInt(250)))
        .distinct()
        .limit(shape.peers())
        .map(InetAddress::ofLiteral)
        .toList();
  }

  @Override
  public String about() {
    return memory.rkey()
        + "/"
        + memory.iova()
        + "/"
        + pairs.stream().map(qp -> "" + qp.qpn()).collect(Collectors.joining(","));
  }

  @Override
  public void connect(String about) {
    String[] words = about.split("/");
    remoteRkey = Integer.parseInt(words[0]);
    remoteAddress = Long.parseLong(words[1]);
    String[] numbers = words[2].split(",");
    for (int i = 0; i < pairs.size(); i++) {
      connect(pairs.get(i), i % servers.size(), Integer.parseInt(numbers[i]));
    }
  }

  private void connect(QueuePair qp, int server, int number) {
    InetAddress peer = serves ? client : servers.get(server);
    int index = node.gidIndex() + (serves ? server : 0);
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(EVERYTHING));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofGid(1, GlobalRoute.to(Addresses.gid(peer), index)))
            .pathMtu(spec.packet() >= 4096 ? Mtu.MTU_4096 : Mtu.MTU_1024)
            .destQpn(number)
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(1));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .timeout(TIMEOUT)
            .retryCount(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(1));
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
  public void serve(BooleanSupplier stop) {
    node.look();
    while (!stop.getAsBoolean()) {
      if (cq.startPoll()) {
        throw new IllegalStateException("completed with " + cq.status());
      }
    }
  }

  @Override
  public long drive(long untilNs) {
    node.look();
    int most = shape.full() ? Integer.MAX_VALUE : UNDER_WAY / spec.bytes();
    long done = 0;
    while (System.nanoTime() < untilNs) {
      if (outstanding < most) {
        post();
      }
      done += reap();
    }
    while (outstanding > 0) {
      done += reap(); // so that datagrams sent compare with messages done
    }
    return done * spec.bytes() / spec.packet();
  }

  private void post() {
    int i = next;
    next = i + 1 == pairs.size() ? 0 : i + 1;
    if (underWay[i] == depth()) {
      return;
    }
    QueuePair qp = pairs.get(i);
    qp.wrStart();
    qp.wrId(i).wrFlags(SendFlags.SIGNALED);
    qp.wrRdmaWrite(remoteRkey, remoteAddress);
    qp.wrSetSge(memory.lkey(), memory.iova(), spec.bytes());
    int status = qp.wrComplete();
    if (status != 0) {
      throw new IllegalStateException("post returned " + status);
    }
    underWay[i]++;
    outstanding++;
  }

  private int reap() {
    int n = 0;
    if (cq.startPoll()) {
      do {
        if (cq.status() != WcStatus.SUCCESS) {
          throw new IllegalStateException("completed with " + cq.status());
        }
        underWay[(int) cq.wrId()]--;
        n++;
      } while (cq.nextPoll());
      cq.endPoll();
    }
    outstanding -= n;
    return n;
  }

  @Override
  public void close() {
    if (Boolean.getBoolean("bench.counters")) {
      System.err.println(spec.text() + " " + node.counters());
    }
    pairs.forEach(QueuePair::close);
    cq.close();
    memory.close();
    pd.close();
    node.close();
  }
}
