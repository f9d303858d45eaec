package ib.web;

import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.SubnetView;
import ib.core.verbs.IbException;
import ib.health.Health;
import ib.tools.getopt.CommandException;
import ib.web.counters.CountersScreen;
import ib.web.counters.Sampler;
import ib.web.events.EventsScreen;
import ib.web.fabric.Cables;
import ib.web.fabric.TopologyScreen;
import ib.web.ladder.LadderScreen;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import ib.web.page.Screen;
import ib.web.page.Streams;
import ib.web.screens.ContractScreen;
import ib.web.screens.FaultsScreen;
import ib.web.screens.PairsScreen;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.felix.webconsole.servlet.AbstractServlet;
import org.apache.felix.webconsole.servlet.ServletConstants;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * The servlet of all screens, a plugin of the Web Console, which asks for the password before it
 * calls. Addresses below the plugin: {@code /<screen>} is a page, {@code /<screen>/live.part} its
 * changing part, {@code /<screen>/live.stream} that part as server-sent events, and a POST to
 * {@code /<screen>} an order.
 */
@Component(
    service = Servlet.class,
    configurationPid = "ib.web",
    property = {
      ServletConstants.PLUGIN_LABEL + "=" + IbPage.LABEL,
      ServletConstants.PLUGIN_TITLE + "=InfiniBand",
      ServletConstants.PLUGIN_CATEGORY + "=Main",
      ServletConstants.PLUGIN_CSS_REFERENCES + "=/" + IbPage.LABEL + "/res/ib.css"
    })
public final class IbPage extends AbstractServlet {
  static final String LABEL = "ib";

  /** The path of the metrics below the page: text for Prometheus, no screen. */
  private static final String METRICS = "metrics";

  private static final long serialVersionUID = 1L;
  private static final Set<String> RESOURCES = Set.of("ib.css", "ib.js");

  private final transient Streams streams = new Streams();
  private final transient Sampler sampler;
  private final transient LadderScreen ladder;
  private final transient Map<String, Screen> screens = new LinkedHashMap<>();

  @Reference(target = LocalServices.ONLY)
  private transient volatile List<DeviceSlot> slots = List.of();

  @Reference(target = LocalServices.ONLY)
  private transient volatile List<PacketCapture> captures = List.of();

  @Reference(target = LocalServices.ONLY)
  private transient volatile List<QpDiagnosis> diagnoses = List.of();

  @Reference(target = LocalServices.ONLY)
  private transient volatile List<FaultInjection> injections = List.of();

  @Reference(target = LocalServices.ONLY)
  private transient volatile List<SubnetView> views = List.of();

  private final transient Health health;

  /**
   * Called by DS.
   *
   * @param core the midlayer
   * @param cables pulls cables
   * @param events the latest events
   * @param health writes metrics
   */
  @Activate
  public IbPage(
      @Reference(target = LocalServices.ONLY) IbCore core,
      @Reference(target = LocalServices.ONLY) Cables cables,
      @Reference(target = LocalServices.ONLY) EventLog events,
      @Reference(target = LocalServices.ONLY) Health health) {
    this.health = health;
    sampler = Sampler.start(core, () -> injections);
    ladder = new LadderScreen(core, () -> captures);
    for (Screen screen :
        List.of(
            new TopologyScreen(core, () -> views, () -> slots, sampler, cables),
            new CountersScreen(sampler),
            new EventsScreen(core, () -> slots, events.ring, Clock.systemUTC()),
            ladder,
            new FaultsScreen(() -> injections),
            new PairsScreen(core, () -> diagnoses),
            new ContractScreen(core, () -> slots))) {
      screens.put(screen.name(), screen);
    }
  }

  /** Ends the streams, the capture and the readings. */
  @Deactivate
  void deactivate() {
    streams.close();
    ladder.close();
    sampler.close();
  }

  /** {@return a file of the page; only those that are named here} */
  @Override
  protected @Nullable URL getResource(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    boolean known = path.equals("/" + LABEL + "/res/" + name) && RESOURCES.contains(name);
    return known ? IbPage.class.getResource("res/" + name) : null;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException, jakarta.servlet.ServletException {
    String[] words = words(request);
    Screen screen = screen(words);
    try {
      query(request);
    } catch (RefusedException e) {
      response.sendError(HttpServletResponse.SC_BAD_REQUEST, e.getMessage());
      return;
    }
    if (words.length == 0) {
      response.sendRedirect(root(request) + "/topology");
    } else if (getResource(String.valueOf(request.getPathInfo())) != null) {
      super.doGet(request, response);
    } else if (words.length == 1 && words[0].equals(METRICS)) {
      begin(response, "text/plain;version=0.0.4");
      response.getWriter().write(health.writeMetrics());
      response.flushBuffer();
    } else if (screen == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "the page has no such screen");
    } else if (words.length == 2) {
      switch (words[1]) {
        case "live.part" -> part(screen, request, response);
        case "live.stream" -> stream(screen, request, response);
        default -> response.sendError(HttpServletResponse.SC_NOT_FOUND, "no such part");
      }
    }
    // a whole screen is left to the Web Console, which draws its frame and calls renderContent
  }

  private static String[] words(HttpServletRequest request) {
    String path = request.getPathInfo() == null ? "" : request.getPathInfo();
    String below = path.replaceFirst("^/" + LABEL + "(/|$)", "");
    return below.isEmpty() ? new String[0] : below.split("/");
  }

  private @Nullable Screen screen(String[] words) {
    return words.length == 0 || words.length > 2 ? null : screens.get(words[0]);
  }

  private static String root(HttpServletRequest request) {
    return request.getAttribute(ServletConstants.ATTR_APP_ROOT) + "/" + LABEL;
  }

  private static Query query(HttpServletRequest request) {
    Map<String, String> values = new LinkedHashMap<>();
    request
        .getParameterMap()
        .forEach(
            (name, all) -> {
              if (all.length > 0 && values.size() < Query.MAX_PARAMETERS) {
                values.put(name, all[0]);
              }
            });
    return new Query(values);
  }

  private static String live(Screen screen, Query query) {
    Markup out = new Markup();
    try {
      screen.drawLive(out, query);
      return out.toString();
    } catch (RefusedException | CommandException | IbException e) {
      // a new piece: the other one may end within an element
      return new Markup().element("p", String.valueOf(e.getMessage()), "class", "note").toString();
    }
  }

  private static void begin(HttpServletResponse response, String type) {
    response.setContentType(type + ";charset=utf-8");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
  }

  private void part(Screen screen, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    begin(response, "text/plain");
    response.getWriter().write(live(screen, query(request)));
  }

  private void stream(Screen screen, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!streams.enter()) {
      response.sendError(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "more than " + Streams.MAX_STREAMS + " pages are open: close one");
      return;
    }
    try {
      begin(response, "text/event-stream");
      Query query = query(request);
      response.flushBuffer();
      streams.serve(response.getWriter(), () -> live(screen, query));
    } finally {
      streams.leave();
    }
  }

  @Override
  public void renderContent(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Screen screen = screen(words(request));
    if (screen == null) {
      return; // doGet has refused it
    }
    Query query = query(request);
    String root = root(request);
    Markup out = new Markup();
    out.open("div", "id", "ib", "data-at", root + "/" + screen.name());
    out.open("nav");
    for (Screen each : screens.values()) {
      String here = each.equals(screen) ? "here" : "";
      out.element("a", each.title(), "href", root + "/" + each.name(), "class", here);
    }
    out.close("nav").open("div", "id", "ib-controls");
    screen.drawControls(out, query);
    out.close("div").open("div", "id", "ib-live");
    response.getWriter().write(out + live(screen, query));
    Markup end = new Markup().close("div").element("p", "", "id", "ib-said", "role", "status");
    end.close("div").open("script", "src", root + "/res/ib.js").close("script");
    response.getWriter().write(end.toString());
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Screen screen = screen(words(request));
    String text;
    int status = HttpServletResponse.SC_OK;
    if (SameSite.isForeign(request)) { // also where the console has another context
      status = HttpServletResponse.SC_FORBIDDEN;
      text = "a page of another site has asked";
    } else if (screen == null) {
      status = HttpServletResponse.SC_NOT_FOUND;
      text = "the page has no such screen";
    } else {
      try {
        text = screen.act(query(request));
      } catch (RefusedException | CommandException | IbException e) {
        status = HttpServletResponse.SC_CONFLICT;
        text = String.valueOf(e.getMessage());
      }
    }
    begin(response, "text/plain");
    response.setStatus(status);
    response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    streams.wake();
  }
}
