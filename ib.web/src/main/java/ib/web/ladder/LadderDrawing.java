package ib.web.ladder;

import ib.web.page.Markup;
import java.util.List;
import java.util.Locale;

/** A sequence diagram: the device's queue pair at the left, the peer's at the right. */
final class LadderDrawing {
  private static final double LEFT = 170;
  private static final double RIGHT = 520;
  private static final double WIDTH = 860;
  private static final double TOP = 40;
  private static final double STEP = 24;
  private static final double SLANT = 10;
  private static final double CUT = 0.6; // how far a lost packet gets
  private static final double HEAD = 7;
  private static final double MS = 1e6;

  private LadderDrawing() {}

  /**
   * Draws packets.
   *
   * @param out takes the markup
   * @param device the device's name
   * @param pair the two queue pairs
   * @param arrows the packets, oldest first
   */
  static void draw(Markup out, String device, Pair pair, List<Arrow> arrows) {
    double height = TOP + arrows.size() * STEP + STEP;
    out.open("svg", "class", "ladder", "viewBox", "0 0 " + WIDTH + " " + height, "role", "img");
    drawLifeline(out, device + " QP " + Pair.name(pair.local()), LEFT, height);
    drawLifeline(out, "peer QP " + Pair.name(pair.remote()), RIGHT, height);
    for (int i = 0; i < arrows.size(); i++) {
      Arrow arrow = arrows.get(i);
      double y = TOP + i * STEP;
      double ms = (arrow.timeNs() - arrows.getFirst().timeNs()) / MS;
      String time = String.format(Locale.ROOT, "%.3f ms", ms);
      out.element("text", time, "x", LEFT - 12, "y", y + SLANT, "class", "small right");
      draw(out, arrow, y);
    }
    out.close("svg");
  }

  private static void drawLifeline(Markup out, String name, double x, double height) {
    out.element("text", name, "x", x, "y", 18);
    out.open("line", "class", "life", "x1", x, "x2", x, "y1", TOP - 14, "y2", height).close("line");
  }

  private static String kind(Arrow arrow) {
    return "arrow"
        + (arrow.isLost() ? " lost" : "")
        + (arrow.isRepeat() ? " repeat" : "")
        + (arrow.isRefusal() ? " refusal" : "");
  }

  private static void draw(Markup out, Arrow arrow, double y) {
    double from = arrow.incoming() ? RIGHT : LEFT;
    double to = arrow.incoming() ? LEFT : RIGHT;
    double reach = arrow.isLost() ? CUT : 1;
    double x = from + (to - from) * reach;
    double end = y + SLANT * reach;
    out.open("g", "class", kind(arrow));
    out.element("title", arrow.verdict());
    out.open("line", "x1", from, "y1", y, "x2", x, "y2", end).close("line");
    double back = arrow.incoming() ? HEAD : -HEAD;
    String head =
        arrow.isLost()
            ? path("M%.1f,%.1f l%.1f,%.1f m0,%.1f l%.1f,%.1f", x - 5, end - 5, 10, 10, -10, -10, 10)
            : path("M%.1f,%.1f l%.1f,-4 l0,8 z", x, end, back);
    out.open("path", "d", head).close("path");
    String label = String.format("%s PSN 0x%06x", arrow.what(), arrow.psn());
    double middle = (LEFT + RIGHT) / 2;
    out.element("text", label, "x", middle, "y", y + 2, "class", "small label");
    out.element("text", arrow.remark(), "x", RIGHT + 12, "y", y + SLANT, "class", "small left");
    out.close("g");
  }

  private static String path(String form, double... numbers) {
    Object[] boxed = new Object[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      boxed[i] = numbers[i];
    }
    return String.format(Locale.ROOT, form, boxed);
  }
}
