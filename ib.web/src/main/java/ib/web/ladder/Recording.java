package ib.web.ladder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.IbCore;
import ib.core.client.ResourceRecord;
import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.ObjectControl.Kind;
import ib.kit.capture.CaptureReader;
import ib.kit.capture.CapturedPacket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The latest packets of a device, by the two queue pairs that they belong to. It keeps the headers
 * only. Any thread may call.
 */
final class Recording implements AutoCloseable {
  /** Most packets that are kept of one pair. */
  static final int MAX_ARROWS = 200;

  /** Most pairs that are kept; packets of others are not recorded. */
  static final int MAX_PAIRS = 64;

  private final IbCore core;
  private final String device;

  @GuardedBy("this")
  private final Map<Pair, Deque<Arrow>> arrows = new LinkedHashMap<>();

  // By direction and number
  @GuardedBy("this")
  private final Map<Long, Pair> pairs = new HashMap<>();

  private volatile @Nullable Session session;

  private Recording(IbCore core, String device) {
    this.core = core;
    this.device = device;
  }

  /**
   * Starts to record.
   *
   * @param core knows which queue pairs belong together
   * @param capture of the device
   * @throws ib.core.verbs.IbExistsException when another capture of the device runs
   */
  static Recording start(IbCore core, PacketCapture capture) {
    Recording recording = new Recording(core, capture.device());
    recording.session = capture.start(new CaptureReader(recording::add), Filter.ALL);
    return recording;
  }

  String device() {
    return device;
  }

  boolean isRunning() {
    Session s = session;
    return s != null && s.running();
  }

  /** {@return packets left out because this program was too slow} */
  long missed() {
    Session s = session;
    return s == null ? 0 : s.dropped();
  }

  void add(CapturedPacket packet) {
    Arrow.of(packet).ifPresent(this::add);
  }

  void add(Arrow arrow) {
    long key = (long) arrow.destination() << 1 | (arrow.incoming() ? 1 : 0);
    Pair pair = known(key);
    if (pair == null) {
      pair = pair(arrow); // asks the midlayer, without this lock
      learn(key, pair);
    }
    keep(pair, arrow);
  }

  private synchronized @Nullable Pair known(long key) {
    return pairs.get(key);
  }

  private synchronized void learn(long key, Pair pair) {
    if (pairs.size() >= MAX_PAIRS * MAX_PAIRS) {
      pairs.clear(); // they are looked up again
    }
    pairs.put(key, pair);
  }

  private synchronized void keep(Pair pair, Arrow arrow) {
    Deque<Arrow> of = arrows.get(pair);
    if (of == null) {
      if (arrows.size() >= MAX_PAIRS) {
        return;
      }
      of = new ArrayDeque<>();
      arrows.put(pair, of);
    }
    of.addLast(arrow);
    if (of.size() > MAX_ARROWS) {
      of.removeFirst();
    }
  }

  private Pair pair(Arrow arrow) {
    String here = arrow.incoming() ? "lqpn" : "rqpn";
    String there = arrow.incoming() ? "rqpn" : "lqpn";
    if (arrow.destination() <= 1) {
      return new Pair(arrow.destination(), arrow.destination());
    }
    int other =
        core.resources().stream()
            .filter(r -> r.kind() == Kind.QP && r.device().equals(device))
            .filter(r -> number(r, here) == arrow.destination())
            .mapToInt(r -> number(r, there))
            .findFirst()
            .orElse(-1);
    return arrow.incoming()
        ? new Pair(arrow.destination(), other)
        : new Pair(other, arrow.destination());
  }

  private static int number(ResourceRecord record, String key) {
    return record.details().get(key) instanceof Number n ? n.intValue() : -1;
  }

  /** {@return the pairs, those of management last} */
  synchronized List<Pair> pairs() {
    List<Pair> all = new ArrayList<>(arrows.keySet());
    all.sort((a, b) -> Boolean.compare(a.isManagement(), b.isManagement()));
    return all;
  }

  /** {@return the latest packets of a pair, oldest first} */
  synchronized List<Arrow> arrows(Pair pair) {
    return List.copyOf(arrows.getOrDefault(pair, new ArrayDeque<>()));
  }

  /** Ends the capture; what was recorded stays. */
  @Override
  public void close() {
    Session s = session;
    if (s != null) {
      s.close();
    }
  }
}
