package ib.web.events;

import ib.core.client.ClientStatus;
import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.spi.DeviceSlot;
import ib.tools.output.Units;
import ib.web.events.EventRing.Entry;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.Screen;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Events as a timeline, and the steps of the last plugging and unplugging as bars. */
public final class EventsScreen extends Screen {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());
  private static final Duration SPAN = Duration.ofMinutes(5);
  private static final double WIDTH = 640;
  private static final double LEFT = 90;
  private static final double ROW = 30;
  private static final double BAR = 16;
  private static final int MAX_ROWS = 60;

  private final IbCore core;
  private final Supplier<? extends Collection<DeviceSlot>> slots;
  private final EventRing ring;
  private final InstantSource clock;

  /**
   * Creates the screen.
   *
   * @param core the midlayer
   * @param slots the places of devices, read for each drawing
   * @param ring the events
   * @param clock the wall clock
   */
  public EventsScreen(
      IbCore core,
      Supplier<? extends Collection<DeviceSlot>> slots,
      EventRing ring,
      InstantSource clock) {
    super("events", "Events");
    this.core = core;
    this.slots = slots;
    this.ring = ring;
    this.clock = clock;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    List<Entry> entries = ring.entries();
    drawTimeline(out, entries, clock.instant());
    for (DeviceSlot slot : slots.get()) {
      drawSteps(out, slot.name() + " was unplugged", removal(slot.name()));
      drawSteps(out, slot.name() + " was plugged in", additions(slot.name()));
    }
    drawTable(out, entries);
  }

  /** A step of a hot-plug operation. */
  private record Step(String client, long ns, String error) {}

  private List<Step> removal(String device) {
    List<Step> steps = new ArrayList<>();
    RemovalReport report = core.lastRemoval(device).orElse(null);
    if (report != null) {
      report.steps().forEach(s -> steps.add(new Step(s.client(), s.removeNs(), s.error())));
    }
    return steps;
  }

  private List<Step> additions(String device) {
    List<Step> steps = new ArrayList<>();
    for (ClientStatus client : core.clients()) {
      client.bindings().stream()
          .filter(b -> b.device().equals(device) && b.state() != ClientStatus.State.NONE)
          .forEach(b -> steps.add(new Step(client.name(), b.addNs(), b.lastError())));
    }
    return steps;
  }

  private static void drawTimeline(Markup out, List<Entry> entries, Instant now) {
    List<String> devices = List.copyOf(new TreeSet<>(entries.stream().map(Entry::device).toList()));
    if (devices.isEmpty()) {
      out.element("p", "No event has come yet.", "class", "hint");
      return;
    }
    double height = devices.size() * ROW + ROW / 2;
    out.open("svg", "class", "timeline", "viewBox", "0 0 " + WIDTH + " " + height, "role", "img");
    for (int i = 0; i < devices.size(); i++) {
      double y = i * ROW + ROW / 2;
      out.element("text", devices.get(i), "x", 4, "y", y + 4, "class", "small left");
      out.open("line", "class", "axis", "x1", LEFT, "x2", WIDTH, "y1", y, "y2", y).close("line");
    }
    for (Entry e : entries) {
      double age = Duration.between(e.at(), now).toMillis() / (double) SPAN.toMillis();
      if (age <= 1) {
        double x = WIDTH - 8 - Math.max(0, age) * (WIDTH - LEFT - 8);
        drawEvent(out, e, x, devices.indexOf(e.device()) * ROW + ROW / 2);
      }
    }
    out.element("text", "5 minutes ago", "x", LEFT, "y", height - 3, "class", "small left");
    out.element("text", "now", "x", WIDTH - 4, "y", height - 3, "class", "small right");
    out.close("svg");
  }

  private static void drawEvent(Markup out, Entry e, double x, double y) {
    if (e.missing() > 0) {
      out.open("rect", "class", "gap", "x", x - 9, "y", y - BAR / 2, "width", 4, "height", BAR);
      out.element("title", e.missing() + " events are missing").close("rect");
    }
    boolean bad = e.type().contains("ERR") || e.type().matches(".*(FATAL|OVERFLOW|MUTED).*");
    out.open("circle", "class", bad ? "event bad" : "event", "cx", x, "cy", y, "r", 5);
    out.element("title", text(e)).close("circle");
  }

  private static String text(Entry e) {
    String number = e.number() > 0 ? ", number " + e.number() : "";
    return TIME.format(e.at()) + " " + e.type() + " " + e.where() + number;
  }

  private static void drawSteps(Markup out, String title, List<Step> steps) {
    if (steps.isEmpty()) {
      return;
    }
    long total = Math.max(1, steps.stream().mapToLong(Step::ns).sum());
    double height = steps.size() * (BAR + 4) + 4;
    out.element("h3", title + ": " + Units.ms(total) + " in clients");
    out.open("svg", "class", "steps", "viewBox", "0 0 " + WIDTH + " " + height, "role", "img");
    double at = 0;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      double y = 4 + i * (BAR + 4);
      double width = step.ns() * (WIDTH - 2 * LEFT) / total;
      out.open(
          "rect",
          "class",
          step.error().isEmpty() ? "step" : "step bad",
          "x",
          LEFT + at,
          "y",
          y,
          "width",
          Math.max(2, width),
          "height",
          BAR);
      out.close("rect");
      out.element("text", step.client(), "x", 4, "y", y + 12, "class", "small left");
      String said = Units.ms(step.ns()) + (step.error().isEmpty() ? "" : ": " + step.error());
      out.element("text", said, "x", LEFT + at + width + 6, "y", y + 12, "class", "small left");
      at += width;
    }
    out.close("svg");
  }

  private static void drawTable(Markup out, List<Entry> entries) {
    out.open("table").row("th", "time", "device", "number", "event", "where", "");
    for (Entry e : entries.reversed().stream().limit(MAX_ROWS).toList()) {
      out.open("tr");
      out.element("td", TIME.format(e.at()));
      out.element("td", e.device());
      out.element("td", e.number() > 0 ? e.number() : "");
      out.element("td", e.type());
      out.element("td", e.where());
      out.element("td", e.missing() > 0 ? e.missing() + " missing before" : "", "class", "drops");
      out.close("tr");
    }
    out.close("table");
  }
}
