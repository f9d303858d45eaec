package ib.web.fabric;

import java.util.List;

/**
 * The nodes and links to draw.
 *
 * @param nodes each with an identifier of its own
 * @param links each between two of the nodes
 * @param notes sentences about what could not be found
 */
public record Fabric(List<Node> nodes, List<Link> links, List<String> notes) {
  /** Copies the lists. */
  public Fabric {
    nodes = List.copyOf(nodes);
    links = List.copyOf(links);
    notes = List.copyOf(notes);
  }

  /** The kinds of nodes. */
  public enum Kind {
    /** A switch. */
    SWITCH,
    /** A device of this runtime. */
    DEVICE,
    /** An adapter of another runtime. */
    FOREIGN,
    /** A device of this runtime that is unplugged. */
    UNPLUGGED
  }

  /**
   * A node.
   *
   * @param id identifies the node in the picture
   * @param label what the node says of itself
   * @param kind the kind
   * @param device name of the device of this runtime, or empty
   * @param state label of the best port state, for example {@code PORT_ACTIVE}
   * @param lid LID, or 0
   */
  public record Node(String id, String label, Kind kind, String device, String state, int lid) {}

  /**
   * A link.
   *
   * @param from identifier of a node
   * @param fromPort port of that node
   * @param to identifier of the other node
   * @param toPort port of the other node
   * @param state label of the port state
   * @param bytesPerS traffic in both directions together, or -1 when it is not known
   */
  public record Link(
      String from, int fromPort, String to, int toPort, String state, double bytesPerS) {}
}
