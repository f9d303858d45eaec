package ib.tools.rdma;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.core.client.ResourceRecord;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.ObjectControl.Kind;
import ib.tools.output.Listing;
import ib.tools.output.Usage;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code rdma resource}: the live objects of the kinds that the tool lists. */
final class Resource {
  /** The kinds in the order of the summary. User contexts do not exist here, so they count 0. */
  private enum Type {
    PD("pd", Kind.PD, "pdn", Set.of("users", "pid", "ctxn", "pdn")),
    CQ("cq", Kind.CQ, "cqn", Set.of("users", "pid", "cqn", "ctxn")),
    QP("qp", Kind.QP, null, Set.of("lqpn", "rqpn", "pid", "sq-psn", "rq-psn", "pdn")),
    CM_ID("cm_id", null, null, Set.of("lqpn", "pid", "src-port", "dst-port", "cm-idn")),
    MR("mr", Kind.MR, "mrn", Set.of("rkey", "lkey", "mrlen", "pid", "mrn", "pdn")),
    CTX("ctx", null, "ctxn", Set.of("pid", "ctxn")),
    SRQ("srq", Kind.SRQ, "srqn", Set.of("pid", "srqn", "pdn", "cqn", "lqpn"));

    private static final Set<String> TEXTS =
        Set.of("dev", "link", "poll-ctx", "type", "path-mig-state", "state", "qp-type", "ps");

    private final String label;
    private final @Nullable Kind kind;
    private final @Nullable String idName;
    private final Set<String> numbers;

    Type(String label, @Nullable Kind kind, @Nullable String idName, Set<String> numbers) {
      this.label = label;
      this.kind = kind;
      this.idName = idName;
      this.numbers = numbers;
    }

    /** {@return whether objects of this kind are listed by port, not by device} */
    boolean ofPort() {
      return this == QP;
    }
  }

  private static final Set<String> KEYS = Set.of("rkey", "lkey", "iova", "local_dma_lkey");

  private Resource() {}

  static Object run(View view, Collection<CmClient> managers, Words all) {
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    commands.put("show", words -> show(view, managers, words));
    commands.put("list", words -> show(view, managers, words));
    commands.put("help", words -> Usage.of("rdma_resource"));
    return all.dispatch("resource command", words -> show(view, managers, words), commands);
  }

  private static Object show(View view, Collection<CmClient> managers, Words all) {
    if (all.size() == 1 && view.find(all.peek()).isPresent()) {
      return summary(view, managers, all);
    }
    Map<String, Function<Words, Object>> commands = new LinkedHashMap<>();
    for (Type type : List.of(Type.QP, Type.CM_ID, Type.CQ, Type.MR, Type.PD, Type.CTX, Type.SRQ)) {
      commands.put(type.label, words -> objects(view, managers, type, words));
    }
    return all.dispatch("parameter", words -> summary(view, managers, words), commands);
  }

  private static Listing<Line> summary(View view, Collection<CmClient> managers, Words words) {
    List<DeviceInfo> devices = view.devices(words);
    words.end();
    List<ResourceRecord> all = view.core().resources();
    return view.listing(devices.stream().map(d -> summary(d, all, CmIds.of(d, managers))).toList());
  }

  private static Line summary(DeviceInfo device, List<ResourceRecord> all, List<CmId> ids) {
    Line line = new Line();
    line.put("ifindex", device.index(), device.index() + ": ");
    line.put("ifname", device.name(), device.name() + ": ");
    for (Type type : Type.values()) {
      boolean connections = type == Type.CM_ID;
      line.put(type.label, connections ? ids.size() : records(device, type.kind, all).count());
    }
    return line;
  }

  static Stream<ResourceRecord> records(
      DeviceInfo device, @Nullable Kind kind, List<ResourceRecord> all) {
    return all.stream()
        .filter(r -> r.kind() == kind && r.device().equals(device.name()))
        .sorted(Comparator.comparingLong(ResourceRecord::id));
  }

  private static Listing<Line> objects(
      View view, Collection<CmClient> managers, Type type, Words words) {
    Filter filter = new Filter(words.all(), type.numbers, Type.TEXTS);
    skipFilters(words);
    List<ResourceRecord> all = view.core().resources();
    Stream<Line> lines =
        type == Type.CM_ID
            ? view.links(words, false).stream().flatMap(l -> CmIds.lines(l, managers))
            : type.ofPort()
                ? view.links(words, false).stream().flatMap(l -> ofLink(l, type, all))
                : view.devices(words).stream().flatMap(d -> ofDevice(d, type, all));
    return view.listing(lines.filter(filter::accepts).toList());
  }

  /**
   * Goes on to the device or port behind the word {@code dev} or {@code link}, where there is one.
   */
  static void skipFilters(Words words) {
    while (!words.isEmpty() && !words.matches("dev") && !words.matches("link")) {
      words.next();
    }
    if (!words.isEmpty()) {
      words.next();
    }
  }

  private static Stream<Line> ofDevice(DeviceInfo device, Type type, List<ResourceRecord> all) {
    return records(device, type.kind, all)
        .map(
            r -> {
              Line line = new Line();
              line.put("ifindex", device.index(), "");
              line.put("ifname", device.name(), "dev " + device.name() + " ");
              return members(line, r, type);
            });
  }

  private static Stream<Line> ofLink(View.Link link, Type type, List<ResourceRecord> all) {
    DeviceInfo device = link.device();
    return records(device, type.kind, all)
        .filter(r -> port(r) == link.port())
        .map(
            r -> {
              Line line = line(link);
              return members(line, r, type);
            });
  }

  /** {@return a line that begins with the port} */
  static Line line(View.Link link) {
    DeviceInfo device = link.device();
    Line line = new Line();
    line.put("ifindex", device.index(), "");
    line.put("ifname", device.name(), "");
    String name = link.port() == 0 ? "-" : String.valueOf(link.port());
    if (link.port() != 0) {
      line.put("port", link.port(), "");
    }
    return line.printed("link " + device.name() + "/" + name + " ");
  }

  static long port(ResourceRecord r) {
    return r.details().get("port") instanceof Number n ? n.longValue() : 0;
  }

  /** Adds the details of an object, which the core names and orders as the tool does. */
  private static Line members(Line line, ResourceRecord r, Type type) {
    if (type.idName != null) {
      line.put(type.idName, r.id());
    }
    r.details().forEach((name, value) -> member(line, name, value));
    return owner(line, r);
  }

  /** Adds the owner; the brackets say that the owner is no process, but a client of the core. */
  static Line owner(Line line, ResourceRecord r) {
    return owner(line, r.owner().isEmpty() ? "ib.core" : r.owner());
  }

  /** Adds the owner, a client of the core. */
  static Line owner(Line line, String comm) {
    return line.put("comm", comm, "comm [" + comm + "] ");
  }

  private static void member(Line line, String name, Object value) {
    switch (value) {
      case Integer i when KEYS.contains(name) -> line.putHex(name, Integer.toUnsignedLong(i));
      case Long l when KEYS.contains(name) -> line.putHex(name, l);
      case Number n -> {
        if (!name.equals("port")) {
          line.put(name, n.longValue());
        }
      }
      default -> {
        if (name.equals("adaptive-moderation")) {
          line.putOnOff(name, value.equals("on"));
        } else {
          line.put(name, value.toString());
        }
      }
    }
  }
}
