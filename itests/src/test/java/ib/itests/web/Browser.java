package ib.itests.web;

import ib.itests.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A headless Chromium with one page, driven by its DevTools protocol. When a server asks for a
 * password, the browser gives the one that it was made with.
 */
final class Browser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final Pattern LISTENS = Pattern.compile("DevTools listening on ws://([^/]+)/");
  private static final Pattern PAGE =
      Pattern.compile("\"type\": \"page\",(?s:.)*?\"webSocketDebuggerUrl\": \"([^\"]+)\"");

  private final Process process;
  private final Thread pump;
  private final HttpClient http = HttpClient.newHttpClient();
  private final DevTools tools;

  /** Starts the browser. */
  Browser(Path profile, String user, String password) throws Exception {
    process =
        new ProcessBuilder(
                found(),
                "--headless=new",
                "--no-sandbox", // the tests run as root where CI does
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1100,1000",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .start();
    CompletableFuture<String> address = new CompletableFuture<>();
    pump =
        Thread.ofPlatform()
            .name("browser output")
            .start(() -> pump(process.inputReader(), address));
    String at = "http://" + address.get(Await.HANG_S, TimeUnit.SECONDS) + "/json/list";
    Matcher page = PAGE.matcher("");
    await("a page", () -> page.reset(get(at)).find());
    tools = new DevTools(http, URI.create(page.group(1)), user, password);
  }

  private static void pump(BufferedReader lines, CompletableFuture<String> address) {
    StringBuilder all = new StringBuilder();
    try (lines) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        all.append(line).append('\n');
        Matcher listens = LISTENS.matcher(line);
        if (listens.find()) {
          address.complete(listens.group(1));
        }
      }
    } catch (IOException e) {
      all.append(e);
    }
    address.completeExceptionally(new IOException("the browser has ended: " + all));
  }

  private String get(String address) {
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static String found() throws IOException, InterruptedException {
    for (String name : NAMES) {
      try {
        Process asked = new ProcessBuilder(name, "--version").redirectErrorStream(true).start();
        asked.getInputStream().readAllBytes();
        if (asked.waitFor() == 0) {
          return name;
        }
      } catch (IOException e) {
        continue; // the next name
      }
    }
    return "";
  }

  /** {@return why there is no browser on this machine; empty when there is one} */
  static String whyNot() throws IOException, InterruptedException {
    return found().isEmpty() ? "no browser: " + String.join(", ", NAMES) + " are not there" : "";
  }

  /** Opens an address and waits until the page is complete. */
  void open(String address) {
    evaluate("window.left = true");
    tools.call("Page.navigate", "\"url\": " + quote(address));
    await(address, () -> evaluate("document.readyState + !window.left").equals("completetrue"));
  }

  /** {@return the value of an expression, as text} */
  String evaluate(String expression) {
    String script = "String(" + expression + ")";
    String answer =
        tools.call("Runtime.evaluate", "\"returnByValue\": true, \"expression\": " + quote(script));
    if (answer.contains("\"exceptionDetails\"")) {
      throw new AssertionError(expression + ": " + answer);
    }
    return DevTools.text(answer, "value");
  }

  /** {@return how many elements a selector has} */
  int count(String selector) {
    return Integer.parseInt(evaluate("document.querySelectorAll(" + quote(selector) + ").length"));
  }

  /** Waits until a selector has an element. */
  void awaitElement(String selector) {
    await(selector, () -> count(selector) > 0);
  }

  /** Presses the mouse in the middle of an element. */
  void click(String selector) {
    awaitElement(selector);
    String find =
        """
        (() => {
          const element = document.querySelector(%s);
          if (!element) { return ""; }
          element.scrollIntoView({ block: "center" });
          const box = element.getBoundingClientRect();
          return '"x": ' + (box.x + box.width / 2) + ', "y": ' + (box.y + box.height / 2);
        })()
        """
            .strip()
            .formatted(quote(selector));
    await(selector, () -> !evaluate(find).isEmpty()); // a drawing may take it away for a moment
    String place = evaluate(find);
    for (String type : List.of("mousePressed", "mouseReleased")) {
      tools.call(
          "Input.dispatchMouseEvent",
          "\"type\": \"%s\", %s, \"button\": \"left\", \"clickCount\": 1".formatted(type, place));
    }
  }

  /** Sets the value of a form's field. */
  void fill(String selector, String value) {
    awaitElement(selector);
    evaluate("document.querySelector(" + quote(selector) + ").value = " + quote(value));
  }

  /** {@return a style of an element as the browser computes it} */
  String style(String selector, String property) {
    return evaluate(
        "getComputedStyle(document.querySelector(%s)).%s".formatted(quote(selector), property));
  }

  /** Writes a picture of the page's upper part. */
  void picture(Path file, int height) throws IOException {
    picture(file, "0", height);
  }

  /** Writes a picture of the page around an element. */
  void pictureAround(Path file, String selector, int height) throws IOException {
    String top =
        evaluate(
            "document.querySelector(%s).getBoundingClientRect().y + scrollY - %d"
                .formatted(quote(selector), height / 2));
    picture(file, top, height);
  }

  private void picture(Path file, String top, int height) throws IOException {
    String clip =
        """
        "captureBeyondViewport": true,
        "clip": {"x": 40, "y": %s, "width": 1000, "height": %d, "scale": 1}"""
            .formatted(top, height);
    String answer = tools.call("Page.captureScreenshot", clip);
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(DevTools.text(answer, "data")));
  }

  /** {@return what scripts have thrown, and what the browser has complained of} */
  List<String> complaints() {
    return new ArrayList<>(tools.complaints());
  }

  /** {@return the addresses that the page has asked for} */
  Set<String> addresses() {
    return new TreeSet<>(tools.addresses());
  }

  /** Waits until something holds. */
  static void await(String what, java.util.function.BooleanSupplier done) {
    Await.until(what, done, () -> "nothing of the kind");
  }

  static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  @Override
  public void close() {
    tools.close();
    http.close();
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    try {
      if (!process.waitFor(Await.HANG_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      pump.join();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
