package ib.web.fabric;

import ib.web.fabric.Fabric.Kind;
import ib.web.fabric.Fabric.Link;
import ib.web.fabric.Fabric.Node;
import ib.web.page.Markup;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The picture of a fabric as SVG: switches in a row, adapters below them in the order of their
 * names, so that a device that is unplugged stays where it was.
 */
public final class FabricDrawing {
  private static final int COLUMNS = 6;
  private static final double STEP_X = 160;
  private static final double STEP_Y = 120;
  private static final double WIDTH = 120;
  private static final double HEIGHT = 54;
  private static final double MARGIN = 20;
  private static final double MIN_STROKE = 1.5;
  private static final double MAX_STROKE = 14;
  private static final double KILO = 1000;

  private record Place(double x, double y) {}

  private final Fabric fabric;
  private final Map<String, Place> places = new LinkedHashMap<>();

  private FabricDrawing(Fabric fabric) {
    this.fabric = fabric;
  }

  /**
   * Draws a fabric.
   *
   * @param out takes the markup
   * @param fabric the fabric
   */
  public static void draw(Markup out, Fabric fabric) {
    new FabricDrawing(fabric).draw(out);
  }

  private void draw(Markup out) {
    List<Node> switches = sorted(true);
    List<Node> adapters = sorted(false);
    int columns = Math.clamp(Math.max(switches.size(), adapters.size()), 1, COLUMNS);
    double bottom = place(adapters, place(switches, MARGIN, columns), columns);
    double width = 2 * MARGIN + columns * STEP_X;
    out.open(
        "svg",
        "class",
        "fabric",
        "viewBox",
        String.format(Locale.ROOT, "0 0 %.0f %.0f", width, bottom - STEP_Y + HEIGHT + MARGIN),
        "style",
        String.format(Locale.ROOT, "max-width: %.0fpx", width),
        "role",
        "img");
    fabric.links().forEach(link -> draw(out, link));
    fabric.nodes().forEach(node -> draw(out, node));
    out.close("svg");
    fabric.notes().forEach(note -> out.element("p", note, "class", "note"));
  }

  private List<Node> sorted(boolean switches) {
    return fabric.nodes().stream()
        .filter(n -> (n.kind() == Kind.SWITCH) == switches)
        .sorted(Comparator.comparing(Node::label).thenComparing(Node::id))
        .toList();
  }

  /** Places nodes in rows, each in the middle. {@return the top of what follows} */
  private double place(List<Node> nodes, double top, int columns) {
    for (int i = 0; i < nodes.size(); i++) {
      int row = i / COLUMNS;
      int inRow = Math.min(COLUMNS, nodes.size() - row * COLUMNS);
      double left = MARGIN + (columns - inRow) * STEP_X / 2;
      double x = left + i % COLUMNS * STEP_X + STEP_X / 2;
      double y = top + row * STEP_Y + HEIGHT / 2;
      places.put(nodes.get(i).id(), new Place(x, y));
    }
    return top + Math.ceilDiv(nodes.size(), COLUMNS) * STEP_Y;
  }

  private void draw(Markup out, Link link) {
    Place none = new Place(0, 0); // a scan lists the nodes of its links, so each has a place
    Place from = places.getOrDefault(link.from(), none);
    Place to = places.getOrDefault(link.to(), none);
    out.open(
        "line",
        "class",
        "link " + colour(link.state()),
        "x1",
        from.x,
        "y1",
        from.y,
        "x2",
        to.x,
        "y2",
        to.y,
        "stroke-width",
        stroke(link.bytesPerS()));
    String ports = "port " + link.fromPort() + " to port " + link.toPort();
    out.element("title", ports + ", " + link.state() + ", " + rate(link.bytesPerS()));
    out.close("line");
  }

  private void draw(Markup out, Node node) {
    Place at = places.getOrDefault(node.id(), new Place(0, 0)); // each has a place
    boolean own = !node.device().isEmpty();
    out.open(
        "g",
        "class",
        "node " + node.kind().name().toLowerCase(Locale.ROOT) + " " + colour(node.state()),
        "id",
        "node-" + (own ? node.device() : node.id()),
        own ? "data-show" : "data-node",
        own ? node.device() : node.id());
    out.open(
        "rect",
        "x",
        at.x - WIDTH / 2,
        "y",
        at.y - HEIGHT / 2,
        "width",
        WIDTH,
        "height",
        HEIGHT,
        "rx",
        node.kind() == Kind.SWITCH ? 3 : 14);
    out.close("rect");
    out.element("text", node.label(), "x", at.x, "y", at.y - 3);
    String lid = node.lid() == 0 ? "" : ", LID " + node.lid();
    String state = node.state().replaceFirst("^PORT_", "").toLowerCase(Locale.ROOT);
    out.element("text", state + lid, "x", at.x, "y", at.y + 15, "class", "small");
    out.close("g");
  }

  /** {@return the class that gives a state its colour} */
  static String colour(String state) {
    return switch (state) {
      case "PORT_ACTIVE", "PORT_ACTIVE_DEFER" -> "active";
      case "PORT_INIT", "PORT_ARMED" -> "coming";
      case "unplugged" -> "gone";
      default -> "down";
    };
  }

  /** {@return the width of a link: one step for each power of ten, from 1 kB/s on} */
  static double stroke(double bytesPerS) {
    double steps = bytesPerS <= KILO ? 0 : Math.log10(bytesPerS / KILO);
    return Math.min(MAX_STROKE, MIN_STROKE + 2 * steps);
  }

  /**
   * {@return a rate for people, for example {@code 12.3 MB/s}}
   *
   * @param bytesPerS bytes per second, or less than 0 when it is not known
   */
  public static String rate(double bytesPerS) {
    if (bytesPerS < 0) {
      return "traffic not known";
    }
    double value = bytesPerS;
    int unit = 0;
    for (; value >= KILO && unit < 3; unit++) {
      value /= KILO;
    }
    return String.format(Locale.ROOT, "%.1f %s/s", value, List.of("B", "kB", "MB", "GB").get(unit));
  }
}
