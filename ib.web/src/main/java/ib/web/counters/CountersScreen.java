package ib.web.counters;

import ib.web.counters.Series.Rate;
import ib.web.fabric.FabricDrawing;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.Screen;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** The traffic of each port over five minutes, with dropped packets in red. */
public final class CountersScreen extends Screen {
  private static final double WIDTH = 640;
  private static final double HEIGHT = 110;
  private static final double SECOND = 1e9;
  private static final int MIN_SCALE = 1000; // bytes per second at the top of an idle chart

  private final Sampler sampler;

  /**
   * Creates the screen.
   *
   * @param sampler has the series
   */
  public CountersScreen(Sampler sampler) {
    super("counters", "Counters");
    this.sampler = sampler;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    Map<String, Series> all = new TreeMap<>(sampler.series());
    if (all.isEmpty()) {
      out.element("p", "No device is there.", "class", "hint");
    }
    all.forEach((key, series) -> draw(out, key, series));
  }

  /**
   * Draws one port.
   *
   * @param out takes the markup
   * @param title above the chart
   * @param series of the port
   */
  static void draw(Markup out, String title, Series series) {
    List<Rate> rates = series.rates();
    double top = rates.stream().mapToDouble(r -> Math.max(r.sent(), r.received())).max().orElse(0);
    top = Math.max(MIN_SCALE, top);
    out.open("section", "class", "chart", "id", "chart-" + series.device() + "-" + series.port());
    out.element("h3", title);
    out.open("svg", "viewBox", "0 0 " + WIDTH + " " + HEIGHT, "class", "chart", "role", "img");
    out.open("rect", "class", "back", "width", WIDTH, "height", HEIGHT).close("rect");
    drawTraffic(out, rates, top);
    drawDrops(out, rates);
    out.element("text", FabricDrawing.rate(top), "x", 4, "y", 12, "class", "small left");
    out.element("text", "5 minutes ago", "x", 4, "y", HEIGHT - 4, "class", "small left");
    out.element("text", "now", "x", WIDTH - 4, "y", HEIGHT - 4, "class", "small right");
    out.close("svg");
    drawNow(out, series, rates);
    out.close("section");
  }

  private static void drawNow(Markup out, Series series, List<Rate> rates) {
    Rate last = rates.isEmpty() ? new Rate(0, 0, 0, 0, 0) : rates.getLast();
    out.open("p");
    out.element("span", "sent " + FabricDrawing.rate(last.sent()), "class", "sent");
    out.element("span", "received " + FabricDrawing.rate(last.received()), "class", "received");
    out.element("span", Math.round(last.packets()) + " packets/s");
    long drops = rates.stream().mapToLong(Rate::drops).sum();
    out.element("span", drops + " dropped in 5 minutes", "class", drops > 0 ? "drops" : "");
    out.close("p");
    Map<String, Long> first =
        series.samples().isEmpty() ? Map.of() : series.samples().getFirst().drops();
    Map<String, Long> now =
        series.samples().isEmpty() ? Map.of() : series.samples().getLast().drops();
    Set<String> names = new TreeSet<>(now.keySet());
    if (!names.isEmpty()) {
      out.open("table").row("th", "dropped", "in 5 minutes", "in all");
      for (String name : names) {
        long all = now.getOrDefault(name, 0L);
        out.row("td", name, Math.max(0, all - first.getOrDefault(name, 0L)), all);
      }
      out.close("table");
    }
  }

  /** {@return the place of a moment; the latest rate is at the right edge} */
  private static double x(Rate rate, List<Rate> rates) {
    double age = (rates.getLast().atNs() - rate.atNs()) / SECOND;
    return WIDTH - age * WIDTH / Series.MAX_SAMPLES;
  }

  /** {@return the points of a line, for the attribute of that name} */
  private static String points(List<Rate> rates, double top, ToDoubleFunction<Rate> value) {
    StringBuilder points = new StringBuilder();
    for (Rate rate : rates) {
      double y = HEIGHT - value.applyAsDouble(rate) * (HEIGHT - 4) / top;
      points.append(point(x(rate, rates), y));
    }
    return points.toString();
  }

  private static String point(double x, double y) {
    return String.format(Locale.ROOT, "%.1f,%.1f ", x, y);
  }

  /** Draws what was received as an area, and what was sent as a line before it. */
  private static void drawTraffic(Markup out, List<Rate> rates, double top) {
    if (rates.isEmpty()) {
      return;
    }
    String left = point(x(rates.getFirst(), rates), HEIGHT);
    String area = left + points(rates, top, Rate::received) + point(WIDTH, HEIGHT);
    out.open("polygon", "class", "received", "points", area).close("polygon");
    String line = points(rates, top, Rate::sent);
    out.open("polyline", "class", "sent", "points", line).close("polyline");
  }

  private static void drawDrops(Markup out, List<Rate> rates) {
    long most = Math.max(1, rates.stream().mapToLong(Rate::drops).max().orElse(0));
    for (Rate rate : rates) {
      if (rate.drops() > 0) {
        double height = HEIGHT * (0.2 + 0.8 * rate.drops() / most);
        out.open(
            "rect",
            "class",
            "drops",
            "x",
            x(rate, rates) - 2,
            "y",
            HEIGHT - height,
            "width",
            2,
            "height",
            height);
        out.element("title", rate.drops() + " dropped").close("rect");
      }
    }
  }
}
