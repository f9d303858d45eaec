package ib.driver.rxe;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.Flush;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A driver with one device that does what it is told: in this JVM by calls, in one of its own by
 * lines on standard input, each answered by one line. It ends when its input does, so it never
 * outlives who started it.
 */
final class Station implements Party {
  static final String DEVICE = "rxe";
  static final String OK = "ok ";
  static final String IMMEDIATE = "195948557"; // 0x0badf00d
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final long COMPARE = 5;
  private static final long SWAP = 77;

  private final RxeLab lab = new RxeLab();
  private final Map<String, RxeSide> sides = new HashMap<>();
  private final Map<String, Flow> flows = new HashMap<>();
  private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
  private int gidIndex; // of the source of new ends

  /** A station of its own: reads what to do from standard input. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what is logged is no answer
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Station station = new Station()) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String answer;
        try {
          answer = OK + station.ask(line);
        } catch (RuntimeException | AssertionError e) {
          answer = String.valueOf(e).replace('\n', ' ');
        }
        out.println(answer);
      }
    }
  }

  @Override
  public String ask(String line) {
    String[] w = line.split(" ");
    return switch (w[0]) {
      case "plug" -> plug(Arrays.copyOfRange(w, 1, w.length));
      case "listen" -> listen();
      case "events" -> String.join(" ", events.toArray(String[]::new));
      case "forget" -> done(events::clear);
      case "gids" -> done(() -> gidIndex = Integer.parseInt(w[1]));
      case "open" -> open(w[1], QpType.valueOf(w[2]));
      case "rights" -> done(() -> side(w[1]).rights = Integer.parseInt(w[2]));
      case "up" -> up(w);
      case "fill" -> done(() -> fill(at(w), bytes(w), Long.parseLong(w[4]), side(w[1])));
      case "differs" -> differs(side(w[1]), at(w), bytes(w), Long.parseLong(w[4])) + "";
      case "long" -> side(w[1]).memory().get(LONG, at(w)) + (w.length > 3 ? bytes(w) : 0) + "";
      case "receive" ->
          done(
              () ->
                  side(w[1])
                      .receive(
                          Long.parseLong(w[2]), Integer.parseInt(w[3]), Integer.parseInt(w[4])));
      case "attach" -> done(() -> side(w[1]).qp.attachMulticast(Gid.parse(w[2]), 0));
      case "detach" -> done(() -> side(w[1]).qp.detachMulticast(Gid.parse(w[2]), 0));
      case "fast" -> fast(side(w[1]));
      case "post" -> done(() -> post(w));
      case "next" -> text(side(w[1]).next());
      case "count" -> side(w[1]).count() + "";
      case "state" -> side(w[1]).qp.state().name();
      case "flow" -> done(() -> flow(w));
      case "stop" -> done(() -> flows.get(w[1]).stop());
      case "report" -> flows.get(w[1]).report();
      case "settle" -> flows.get(w[1]).settle();
      case "close" -> done(() -> close(w[1]));
      case "counter" -> counters().getOrDefault(w[1], 0L) + "";
      case "faults" -> done(() -> faults(line.substring(w[0].length()).strip()));
      case "port" -> lab.lease(DEVICE).queryPort(1).state().name();
      case "gid" -> lab.lease(DEVICE).gid(1, Integer.parseInt(w[1])).toString();
      case "log" -> lab.warnings + " " + lab.errors;
      default -> throw new AssertionError("no such word: " + line);
    };
  }

  private static String done(Runnable what) {
    what.run();
    return "";
  }

  private static int at(String... w) {
    return Integer.parseInt(w[2]);
  }

  private static int bytes(String... w) {
    return Integer.parseInt(w[3]);
  }

  private RxeSide side(String name) {
    RxeSide side = sides.get(name);
    if (side == null) {
      throw new AssertionError("no " + name);
    }
    return side;
  }

  private String plug(String... pairs) {
    Object[] keysAndValues =
        Arrays.stream(pairs).flatMap(p -> Arrays.stream(p.split("=", 2))).toArray();
    lab.configure(DEVICE, keysAndValues);
    gidIndex = List.of(keysAndValues).contains("interface") ? 1 : 0; // after its default GID
    return lab.lease(DEVICE).gid(1, gidIndex).toString();
  }

  /** From now on events are noted. */
  private String listen() {
    IbDevice device = lab.lease(DEVICE);
    device.registerEventHandler(
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            events.add(event.type().name());
          }
        });
    return "";
  }

  private String open(String name, QpType type) {
    RxeSide side = new RxeSide(lab.lease(DEVICE));
    sides.put(name, side);
    side.gidIndex = gidIndex;
    side.open(type);
    return side.qp.qpn() + " " + side.mr.rkey() + " " + side.mr.iova() + " " + side.gid();
  }

  private String up(String... w) {
    RxeSide side = side(w[1]);
    side.timeout = Integer.parseInt(w[4]);
    side.retries = Integer.parseInt(w[5]);
    side.rnrRetries = Integer.parseInt(w[6]);
    side.bringUp(Gid.parse(w[2]), Integer.parseInt(w[3]), Mtu.MTU_1024);
    return "";
  }

  private static byte[] random(int bytes, long seed) {
    byte[] random = new byte[bytes];
    new Random(seed).nextBytes(random);
    return random;
  }

  private static void fill(int offset, int bytes, long seed, RxeSide side) {
    MemorySegment.copy(random(bytes, seed), 0, side.memory(), ValueLayout.JAVA_BYTE, offset, bytes);
  }

  private static long differs(RxeSide side, int offset, int bytes, long seed) {
    return side.memory()
        .asSlice(offset, bytes)
        .mismatch(MemorySegment.ofArray(random(bytes, seed)));
  }

  /** A region that is registered by a request, whose key a peer may invalidate. */
  private static String fast(RxeSide side) {
    MemoryRegion region = side.fast();
    int key = MemoryRegion.nextKey(region.rkey());
    MemoryWork work = new MemoryWork().register(region, key, RxeSide.ALL);
    SendWr wr = new SendWr(0).wrId(1).opcode(WrOpcode.REG_MR).memory(work);
    side.post(wr.flags(SendFlags.SIGNALED));
    side.next(1);
    return key + " " + region.iova();
  }

  private void post(String... w) {
    RxeSide side = side(w[1]);
    WrOpcode op = WrOpcode.valueOf(w[2]);
    int bytes = Integer.parseInt(w[5]);
    int key = Integer.parseInt(w[6]);
    SendWr wr =
        new SendWr(1)
            .wrId(Long.parseLong(w[3]))
            .opcode(op)
            .flags(SendFlags.SIGNALED)
            .immData(Integer.parseInt(IMMEDIATE))
            .rkey(key)
            .invalidateRkey(key)
            .remoteAddr(Long.parseLong(w[7]))
            .compareAdd(COMPARE)
            .swap(SWAP);
    if (op == WrOpcode.FLUSH) {
      wr.memory(new MemoryWork().flush(bytes, Flush.GLOBAL, Flush.RANGE));
    } else if (op != WrOpcode.ATOMIC_WRITE && bytes > 0) {
      wr.addSge(side.mr.lkey(), side.mr.iova() + Integer.parseInt(w[4]), bytes);
    }
    if (side.qp.type() == QpType.UD) {
      wr.ah(side.ah()).remoteQpn(Integer.parseInt(w[8])).remoteQkey(RxeSide.QKEY);
    }
    side.post(wr);
  }

  private static String text(WorkCompletion wc) {
    return wc.wrId()
        + " "
        + wc.status()
        + " "
        + wc.opcode()
        + " "
        + wc.byteLen()
        + " "
        + wc.immData();
  }

  private void flow(String... w) {
    Flow flow = new Flow(side(w[1]), Integer.parseInt(w[2]), Long.parseLong(w[3]));
    flows.put(w[1], flow);
    flow.start();
  }

  private void close(String name) {
    Flow flow = flows.remove(name);
    if (flow != null) {
      flow.stop();
      flow.settle();
    }
    sides.remove(name).close();
  }

  private Map<String, Long> counters() {
    return lab.running.get(DEVICE).ops().counters(1);
  }

  private void faults(String rules) {
    FaultInjection faults =
        (FaultInjection) lab.running.get(DEVICE).offers().get(FaultInjection.class);
    faults.clear();
    for (String rule : rules.isEmpty() ? List.<String>of() : List.of(rules.split(";"))) {
      faults.add(FaultRule.parse(rule.strip()));
    }
  }

  @Override
  public void close() {
    List.copyOf(sides.keySet()).forEach(this::close);
    lab.close();
  }
}
