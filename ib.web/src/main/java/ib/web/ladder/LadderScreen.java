package ib.web.ladder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.IbCore;
import ib.core.spi.PacketCapture;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import ib.web.page.Screen;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Records the packets of a device, and draws those between two queue pairs. */
public final class LadderScreen extends Screen implements AutoCloseable {
  private final IbCore core;
  private final Supplier<? extends Collection<PacketCapture>> captures;

  @GuardedBy("this")
  private @Nullable Recording recording;

  /**
   * Creates the screen.
   *
   * @param core the midlayer
   * @param captures the capture services of all devices, read for each drawing
   */
  public LadderScreen(IbCore core, Supplier<? extends Collection<PacketCapture>> captures) {
    super("ladder", "Ladder");
    this.core = core;
    this.captures = captures;
  }

  @Override
  public void drawControls(Markup out, Query query) {
    out.open("form", "data-act", "start");
    out.open("label").text("device ").open("select", "name", "device");
    captures.get().stream()
        .map(PacketCapture::device)
        .sorted()
        .forEach(device -> out.element("option", device));
    out.close("select").close("label");
    out.element("button", "record", "type", "submit").close("form");
    out.button("stop", "stop");
  }

  private synchronized @Nullable Recording recording() {
    return recording;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    Recording now = recording();
    if (now == null) {
      out.element(
          "p",
          "Choose a device and record; then let it exchange packets, for example by"
              + " ibv_rc_pingpong in the shell.",
          "class",
          "hint");
      return;
    }
    List<Pair> pairs = now.pairs();
    String shown = query.get("show");
    Pair pair =
        pairs.stream()
            .filter(p -> p.toString().equals(shown))
            .findFirst()
            .orElseGet(() -> busiest(now, pairs));
    String missed = now.missed() == 0 ? "" : ", " + now.missed() + " packets left out";
    String state = now.isRunning() ? " is being recorded" : " was recorded";
    out.element("p", now.device + state + missed, "class", "hint");
    out.open("p", "class", "pairs");
    for (Pair each : pairs) {
      String name = each.isManagement() ? "management QP " + each.local() : each.toString();
      out.element("a", name, "data-show", each, "class", each.equals(pair) ? "shown" : "");
    }
    out.close("p");
    if (pair != null) {
      LadderDrawing.draw(out, now.device, pair, now.arrows(pair));
    }
  }

  /** {@return the pair with the most packets that is no management; any other if there is none} */
  private static @Nullable Pair busiest(Recording recording, List<Pair> pairs) {
    return pairs.stream()
        .max(
            Comparator.comparing((Pair p) -> !p.isManagement())
                .thenComparing(p -> recording.arrows(p).size()))
        .orElse(null);
  }

  @Override
  public String act(Query query) {
    return switch (query.get("act")) {
      case "start" -> start(query.get("device"));
      case "stop" -> stop();
      default -> throw new RefusedException("ladder has no order " + query.get("act"));
    };
  }

  private synchronized String start(String device) {
    PacketCapture capture =
        captures.get().stream()
            .filter(c -> c.device().equals(device))
            .findFirst()
            .orElseThrow(() -> new RefusedException(device + " offers no capture; " + known()));
    close();
    recording = Recording.start(core, capture);
    return device + " is being recorded";
  }

  private String known() {
    return captures.get().stream()
        .map(PacketCapture::device)
        .sorted()
        .collect(Collectors.joining(", ", "there are: ", ""));
  }

  private synchronized String stop() {
    if (recording == null) {
      throw new RefusedException("nothing is being recorded");
    }
    close();
    return recording.device + " was recorded";
  }

  /** Ends the recording; what was recorded stays. */
  @Override
  public synchronized void close() {
    if (recording != null) {
      recording.close();
    }
  }
}
