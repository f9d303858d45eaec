package ib.tools.fabric;

import ib.core.mad.smp.MadField;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.mad.smp.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that can be reached from a port, found breadth first by directed routes, as
 * libibnetdisc does. Of an adapter, only ports where the scan found a link are known.
 */
public final class Scan {
  /** Reads attributes of the nodes at the end of directed routes. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads an attribute.
     *
     * @param to the route to the port
     * @param attribute the attribute
     * @param modifier attribute modifier
     * @return the attribute, 64 bytes
     * @throws NoAnswerException when the node does not answer, or has no such attribute
     */
    MemorySegment get(Route.Directed to, SmpAttribute attribute, int modifier)
        throws NoAnswerException;
  }

  static final int SWITCH = 2;
  private static final int LINK_UP = 5;
  private static final int MAX_HOPS = 62;

  private final Reader reader;
  private final Map<Long, Node> byGuid = new LinkedHashMap<>();
  private final Deque<Node> unseen = new ArrayDeque<>();
  private final int hops;
  private Node from;
  private int deepest;

  private Scan(Reader reader, Node from, int hops) {
    this.reader = reader;
    this.from = from;
    this.hops = hops;
  }

  /** Scans the fabric by datagrams; see {@link #of(Reader)}. */
  static Scan of(SmpQuery query) throws NoAnswerException {
    return of(query::get, MAX_HOPS);
  }

  /**
   * Scans the fabric. Blocks as long as the reader does.
   *
   * @param reader reads attributes of nodes
   * @return the nodes and links found
   * @throws NoAnswerException when the local node does not answer; other nodes without an answer
   *     are left out
   */
  public static Scan of(Reader reader) throws NoAnswerException {
    return of(reader, MAX_HOPS);
  }

  /** Scans until a route has more hops than a number, as libibnetdisc does. */
  static Scan of(Reader reader, int hops) throws NoAnswerException {
    Route.Directed self = new Route.Directed(List.of());
    Node own = node(reader, self);
    Scan scan = new Scan(reader, own, hops);
    scan.run();
    return scan;
  }

  /** {@return the node that the scan began at} */
  Node from() {
    return from;
  }

  /** {@return the number of hops of the longest route} */
  int deepest() {
    return deepest;
  }

  /** {@return the port that the scan began at} */
  Port fromPort() {
    return from.port(from.value(NodeInfo.LOCAL_PORT_NUM));
  }

  /** {@return the nodes, the one found last first, as libibnetdisc lists them} */
  public List<Node> nodes() {
    List<Node> all = new ArrayList<>(byGuid.values());
    return all.reversed();
  }

  private void run() throws NoAnswerException {
    add(from);
    while (!unseen.isEmpty()) {
      Node node = unseen.remove();
      if (node != from && !node.isSwitch()) {
        continue; // an adapter forwards no datagram (IBA 14.2.2)
      }
      for (Port port : List.copyOf(node.ports().values())) {
        if (port.up()
            && port.remote == null
            && deepest <= hops
            && node.route.hops().size() < MAX_HOPS) {
          follow(node, port);
        }
      }
    }
  }

  private void add(Node node) throws NoAnswerException {
    byGuid.put(node.number(NodeInfo.NODE_GUID), node);
    unseen.add(node);
    if (node.isSwitch()) {
      node.switchInfo = reader.get(node.route, SmpAttribute.SWITCH_INFO, 0);
      for (int n = 0; n <= node.value(NodeInfo.NUM_PORTS); n++) {
        addPort(node, node.route, n);
      }
    } else {
      addPort(node, node.route, node.value(NodeInfo.LOCAL_PORT_NUM));
    }
  }

  private void addPort(Node node, Route.Directed route, int number) throws NoAnswerException {
    MemorySegment info = reader.get(route, SmpAttribute.PORT_INFO, number);
    node.ports.put(number, new Port(node, number, info));
  }

  /** Scans the node at the other end of a link. */
  private void follow(Node node, Port port) {
    Route.Directed beyond = node.route.then(port.number);
    deepest = Math.max(deepest, beyond.hops().size());
    try {
      Node there = node(reader, beyond);
      Node known = byGuid.get(there.number(NodeInfo.NODE_GUID));
      int entered = there.value(NodeInfo.LOCAL_PORT_NUM);
      if (known == null) {
        known = there;
        add(there);
      } else if (!known.ports.containsKey(entered)) {
        // another port of a known adapter; its GUID is in the answer from this port
        known.portGuids.put(entered, there.number(NodeInfo.PORT_GUID));
        addPort(known, beyond, entered);
      }
      Port remote = known.port(entered);
      port.remote = remote;
      remote.remote = port;
    } catch (NoAnswerException e) {
      port.failure = e; // the link is printed without a far end
    }
  }

  private static Node node(Reader reader, Route.Directed route) throws NoAnswerException {
    MemorySegment info = reader.get(route, SmpAttribute.NODE_INFO, 0);
    MemorySegment text = reader.get(route, SmpAttribute.NODE_DESCRIPTION, 0);
    return new Node(route, info, AttributeText.description(text));
  }

  /** An adapter, a switch or a router. */
  public static final class Node {
    private final Route.Directed route;
    private final MemorySegment info;
    private final String description;
    private final NavigableMap<Integer, Port> ports = new TreeMap<>();
    private final Map<Integer, Long> portGuids = new LinkedHashMap<>();
    private @Nullable MemorySegment switchInfo;

    private Node(Route.Directed route, MemorySegment info, String description) {
      this.route = route;
      this.info = info;
      this.description = description;
      portGuids.put(NodeInfo.LOCAL_PORT_NUM.in(info), NodeInfo.PORT_GUID.of(info));
    }

    Route.Directed route() {
      return route;
    }

    /** {@return what the node says of itself (NodeDescription), at most 64 characters} */
    public String description() {
      return description;
    }

    /** {@return whether the node is a switch, not an adapter or a router} */
    public boolean isSwitch() {
      return value(NodeInfo.NODE_TYPE) == SWITCH;
    }

    /** {@return whether port 0 of the switch is a full endpoint} */
    boolean enhanced() {
      return switchInfo != null && SwitchInfo.ENHANCED_PORT_0.in(switchInfo) != 0;
    }

    int value(MadField field) {
      return field.in(info);
    }

    /**
     * {@return a field of NodeInfo}
     *
     * @param field the field
     */
    public long number(MadField field) {
      return field.of(info);
    }

    /** {@return the known ports by number; for a switch with port 0} */
    public NavigableMap<Integer, Port> ports() {
      return ports;
    }

    Port port(int number) {
      Port port = ports.get(number);
      if (port == null) {
        throw new IllegalArgumentException(description + " port " + number);
      }
      return port;
    }
  }

  /** A port of a node. */
  public static final class Port {
    private final Node node;
    private final int number;
    private final MemorySegment info;
    private @Nullable Port remote;
    private @Nullable NoAnswerException failure;

    private Port(Node node, int number, MemorySegment info) {
      this.node = node;
      this.number = number;
      this.info = info;
    }

    /** {@return the node that has the port} */
    public Node node() {
      return node;
    }

    /** {@return the number of the port, 0 to 254} */
    public int number() {
      return number;
    }

    /** {@return PortInfo, 64 bytes} */
    public MemorySegment info() {
      return info;
    }

    /** {@return the port at the other end of the link; null if none answered} */
    public @Nullable Port remote() {
      return remote;
    }

    /** {@return why the far end of a link that is up did not answer; null if it did} */
    @Nullable NoAnswerException failure() {
      return failure;
    }

    /** {@return the port's LID; for a switch that of its port 0} */
    public int lid() {
      return PortInfo.LID.in(node.isSwitch() ? node.port(0).info : info);
    }

    int lmc() {
      return PortInfo.LMC.in(node.isSwitch() ? node.port(0).info : info);
    }

    long guid() {
      return node.isSwitch()
          ? node.number(NodeInfo.PORT_GUID)
          : node.portGuids.getOrDefault(number, 0L);
    }

    boolean up() {
      return PortInfo.PORT_PHYS_STATE.in(info) == LINK_UP && number != 0;
    }
  }
}
