package ib.itests.web;

import ib.itests.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The DevTools protocol of one page: calls with answers, and the events that the tests need. */
final class DevTools implements WebSocket.Listener, AutoCloseable {
  private static final Pattern ANSWER = Pattern.compile("^\\{\"id\":(\\d+),");
  private static final Pattern EVENT = Pattern.compile("^\\{\"method\":\"([^\"]+)\"");

  private final String user;
  private final String password;
  private final WebSocket socket;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> calls = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final List<String> addresses = new CopyOnWriteArrayList<>();
  private final StringBuilder message = new StringBuilder(); // used by the socket's calls only

  DevTools(HttpClient http, URI page, String user, String password) throws Exception {
    this.user = user;
    this.password = password;
    socket = http.newWebSocketBuilder().buildAsync(page, this).get(Await.HANG_S, TimeUnit.SECONDS);
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      call(domain + ".enable", "");
    }
    call("Fetch.enable", "\"handleAuthRequests\": true");
  }

  /** Calls a method and waits for the answer. */
  String call(String method, String parameters) {
    CompletableFuture<String> answer = send(method, parameters);
    try {
      String text = answer.get(Await.HANG_S, TimeUnit.SECONDS);
      if (text.contains("\"error\":{\"code\"")) {
        throw new AssertionError(method + ": " + text);
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(method, e);
    }
  }

  private CompletableFuture<String> send(String method, String parameters) {
    int number = numbers.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    calls.put(number, answer);
    String text =
        "{\"id\": %d, \"method\": \"%s\", \"params\": {%s}}".formatted(number, method, parameters);
    synchronized (this) { // one text at a time
      socket.sendText(text, true).join();
    }
    return answer;
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
    message.append(text);
    if (last) {
      String whole = message.toString();
      message.setLength(0);
      Matcher answer = ANSWER.matcher(whole);
      Matcher event = EVENT.matcher(whole);
      if (answer.find()) {
        calls.remove(Integer.valueOf(answer.group(1))).complete(whole);
      } else if (event.find()) {
        event(event.group(1), whole);
      }
    }
    from.request(1);
    return null;
  }

  private void event(String method, String whole) {
    switch (method) {
      case "Runtime.exceptionThrown" -> complaints.add(whole);
      case "Runtime.consoleAPICalled" -> {
        if (whole.contains("\"type\":\"error\"")) {
          complaints.add(whole);
        }
      }
      case "Log.entryAdded" -> {
        if (whole.contains("\"level\":\"error\"")) {
          complaints.add(whole);
        }
      }
      case "Network.requestWillBeSent" -> addresses.add(text(whole, "url"));
      // a call's answer comes by this thread, which cannot wait for it
      case "Fetch.requestPaused" ->
          Thread.startVirtualThread(
              () -> send("Fetch.continueRequest", "\"requestId\": " + requestId(whole)));
      case "Fetch.authRequired" ->
          Thread.startVirtualThread(
              () -> send("Fetch.continueWithAuth", "\"requestId\": " + requestId(whole) + login()));
      default -> {
        // an event that no test needs
      }
    }
  }

  private static String requestId(String event) {
    return Browser.quote(text(event, "requestId"));
  }

  private String login() {
    return ", \"authChallengeResponse\": {\"response\": \"ProvideCredentials\", \"username\": %s, \"password\": %s}"
        .formatted(Browser.quote(user), Browser.quote(password));
  }

  List<String> complaints() {
    return complaints;
  }

  List<String> addresses() {
    return addresses;
  }

  /** {@return the first member of that name that is a text} */
  static String text(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*+)\"").matcher(json);
    if (!found.find()) {
      throw new AssertionError("no " + name + " in " + json);
    }
    return found
        .group(1)
        .replace("\\n", "\n")
        .replace("\\\"", "\"")
        .replace("\\/", "/")
        .replace("\\\\", "\\");
  }

  @Override
  public void close() {
    socket.abort();
  }
}
