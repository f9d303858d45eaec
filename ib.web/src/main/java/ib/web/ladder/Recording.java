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
  final String device;

  @GuardedBy("this")
  private final Map<Pair, Deque<Arrow>> arrows = new LinkedHashMap<>();

  // The peers of the device's queue pairs; -1 for one that is not known
  @GuardedBy("this")
  private final Map<Integer, Integer> peers = new HashMap<>();

  private volatile @Nullable Session session;

  private Recording(IbCore core, String device) {
    this.core = core;
    this.device = device;
  }

  /**
   * Starts to record.
   *
   * @param core knows the peers of queue pairs that exist
   * @param capture of the device
   * @throws ib.core.verbs.IbExistsException when another capture of the device runs
   */
  static Recording start(IbCore core, PacketCapture capture) {
    Recording recording = new Recording(core, capture.device());
    recording.session = capture.start(new CaptureReader(recording::add), Filter.ALL);
    return recording;
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
    if (arrow.destination() <= Pair.MAX_MANAGEMENT) {
      keep(new Pair(arrow.destination(), arrow.destination()), arrow);
    } else if (arrow.incoming()) {
      keep(new Pair(arrow.destination(), sender(arrow)), arrow);
    } else {
      learn(arrow.source(), arrow.destination());
      keep(new Pair(arrow.source(), arrow.destination()), arrow);
    }
  }

  /** {@return who sent a packet that the device received; -1 when that is not known} */
  private int sender(Arrow arrow) {
    if (arrow.source() >= 0) {
      return arrow.source();
    }
    int local = arrow.destination();
    Integer known = known(local);
    if (known == null) {
      known = peer(local); // asks the midlayer, without this lock
      learn(local, known);
    }
    return known;
  }

  private synchronized @Nullable Integer known(int local) {
    return peers.get(local);
  }

  /**
   * Remembers the peer of a queue pair. A queue pair may be gone before its packets are read; then
   * the first packet that it sends tells its peer, and the packets before this one get their place.
   */
  private synchronized void learn(int local, int remote) {
    if (peers.size() >= MAX_PAIRS * MAX_PAIRS) {
      peers.clear(); // they are looked up again
    }
    Integer before = peers.put(local, remote);
    if (before != null && before < 0 && remote >= 0) {
      Deque<Arrow> of = arrows.remove(new Pair(local, before));
      if (of != null) {
        of.forEach(arrow -> keep(new Pair(local, remote), arrow));
      }
    }
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

  /** {@return the peer of a queue pair that exists; -1 when it does not, or has none} */
  private int peer(int local) {
    return core.resources().stream()
        .filter(r -> r.kind() == Kind.QP && r.device().equals(device))
        .filter(r -> number(r, "lqpn") == local)
        .mapToInt(r -> number(r, "rqpn"))
        .findFirst()
        .orElse(-1);
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
