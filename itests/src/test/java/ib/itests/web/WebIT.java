package ib.itests.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.Distro;
import ib.itests.Folder;
import ib.itests.Program;
import ib.itests.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The page of the Web Console: who gets it, where it listens, and what a person sees. */
public class WebIT {
  private static final Path PICTURES = Path.of("target/screens");
  private static final Pattern SHOWN =
      Pattern.compile("page: (http://127\\.0\\.0\\.1:\\d+)(\\S+)  user: (\\S+)  password: (\\S+)");
  private static final List<String> SCREENS =
      List.of("topology", "counters", "events", "ladder", "faults", "pairs", "contract");

  @ClassRule public static final TemporaryFolder temporary = new TemporaryFolder();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static Shell shell;
  private static String server;
  private static String page;
  private static String password;

  @BeforeClass
  public static void startsOnAFreePort() throws Exception {
    Folder copy = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    copy.configure("ib.web.cfg", "port = 0\n");
    shell = new Shell(copy.home(), Map.of("IB_WEB", "true"));
    shell.awaitText("password: ");
    shell.runUntil("rdma link", says -> says.split("state ACTIVE").length > 2);
    Matcher shown = SHOWN.matcher(shell.said());
    assertTrue(shell.said(), shown.find());
    server = shown.group(1);
    page = server + shown.group(2);
    password = shown.group(4);
  }

  @AfterClass
  public static void ends() throws IOException {
    if (shell != null) {
      shell.close();
      assertFalse(shell.said(), shell.said().matches("(?s).*( ERROR |no bundle takes).*"));
    }
  }

  private static HttpRequest.Builder to(String address) {
    return HttpRequest.newBuilder(URI.create(address));
  }

  private static HttpRequest.Builder login(HttpRequest.Builder request) {
    byte[] words = ("admin:" + password).getBytes(StandardCharsets.UTF_8);
    return request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(words));
  }

  private static HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  public void withoutThePasswordNothingIsShown() throws Exception {
    for (String path : List.of("", "/topology", "/topology/live.stream", "/res/ib.js", "/none")) {
      assertEquals(path, 401, ask(to(page + path)).statusCode());
    }
    HttpRequest.BodyPublisher order =
        HttpRequest.BodyPublishers.ofString("act=unplug&device=soft1");
    assertEquals(401, ask(to(page + "/topology").POST(order)).statusCode());
    String wrong =
        Base64.getEncoder().encodeToString("admin:admin".getBytes(StandardCharsets.UTF_8));
    assertEquals(401, ask(to(page).header("Authorization", "Basic " + wrong)).statusCode());
    assertEquals(401, ask(to(server + "/system/console/bundles")).statusCode());
  }

  @Test
  public void withThePasswordEachScreenAnswersAndAnUnknownOneIsRefused() throws Exception {
    for (String screen : SCREENS) {
      HttpResponse<String> whole = ask(login(to(page + "/" + screen)));
      assertEquals(screen, 200, whole.statusCode());
      assertTrue(whole.body(), whole.body().contains("id=\"ib-live\""));
      HttpResponse<String> part = ask(login(to(page + "/" + screen + "/live.part")));
      assertEquals(screen, 200, part.statusCode());
      assertFalse(part.body(), part.body().isEmpty());
    }
    for (String path : List.of("/none", "/topology/none", "/a/b/c", "/res/IbPage.class")) {
      assertEquals(path, 404, ask(login(to(page + path))).statusCode());
    }
    String tooLong = "?show=" + "x".repeat(201); // A17: no 500 with a stack
    for (String path : List.of("/topology", "/topology/live.part", "/faults", "/pairs")) {
      assertEquals(path, 400, ask(login(to(page + path + tooLong))).statusCode());
    }
    HttpRequest.BodyPublisher order = HttpRequest.BodyPublishers.ofString("act=explode");
    assertEquals(409, ask(login(to(page + "/topology").POST(order))).statusCode());
  }

  @Test
  public void prometheusReadsMetricsWithThePassword() throws Exception {
    assertEquals(401, ask(to(page + "/metrics")).statusCode());
    HttpResponse<String> metrics = ask(login(to(page + "/metrics")));
    assertEquals(200, metrics.statusCode());
    String type = metrics.headers().firstValue("Content-Type").orElse("");
    assertTrue(type, type.startsWith("text/plain;version=0.0.4"));
    assertTrue(metrics.body(), metrics.body().startsWith("# HELP ib_device_info "));
    assertTrue(
        metrics.body(), metrics.body().contains("ib_port_active{device=\"soft0\",port=\"1\"} 1\n"));
    assertFalse(metrics.body(), metrics.body().contains("<"));
  }

  @Test
  public void aPageOfAnotherSiteCannotGiveOrdersToAnyPartOfTheConsole() throws Exception {
    for (String path : List.of("/system/console/ib/topology", "/system/console/bundles")) {
      HttpRequest.Builder order =
          to(server + path).POST(HttpRequest.BodyPublishers.ofString("act=unplug&device=soft1"));
      order.header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", "no-cors");
      assertEquals(path, 403, ask(login(order)).statusCode());
    }
    assertEquals("DENY", ask(login(to(page))).headers().firstValue("X-Frame-Options").orElse(""));
  }

  @Test
  public void aStreamIsDrawnAnewUntilItsReaderGoes() throws Exception {
    HttpRequest request = login(to(page + "/counters/live.stream")).build();
    HttpResponse<InputStream> stream =
        HTTP.send(request, HttpResponse.BodyHandlers.ofInputStream());
    assertEquals(200, stream.statusCode());
    assertTrue(
        stream.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream"));
    try (var lines =
        new java.io.BufferedReader(
            new java.io.InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      int drawings = 0;
      for (String line = lines.readLine(); drawings < 2; line = lines.readLine()) {
        drawings += line.startsWith("data: <section") ? 1 : 0;
      }
    }
  }

  @Test
  public void itListensOnTheLoopbackAddressOnly() throws Exception {
    Path sockets = Path.of("/proc/" + shell.pid() + "/net");
    assumeTrue("no /proc", Files.exists(sockets));
    Set<String> own = new TreeSet<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/" + shell.pid() + "/fd"))) {
      for (Path file : files.toList()) {
        if (Files.isSymbolicLink(file)) {
          own.add(Files.readSymbolicLink(file).toString());
        }
      }
    }
    List<String> listening = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(sockets.resolve(table))) {
        String[] words = line.strip().split("\\s+");
        if (words[3].equals("0A") && own.contains("socket:[" + words[9] + "]")) {
          listening.add(words[1].split(":")[0]);
        }
      }
    }
    // 127.0.0.1, and the same mapped into IPv6, as the kernel writes them
    Set<String> loopback = Set.of("0100007F", "0000000000000000FFFF00000100007F");
    assertEquals("the page and nothing else: " + listening, 1, listening.size());
    assertTrue(listening.toString(), loopback.containsAll(listening));
  }

  @Test
  public void aPortThatIsTakenIsOneSentence() throws Exception {
    Folder copy = Folder.copy(temporary.newFolder().toPath().resolve("ib"));
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      copy.configure("ib.web.cfg", "port = " + other.getLocalPort() + "\n");
      Program refused = Program.ib(copy.home(), "", "--web");
      assertEquals(1, refused.status());
      assertEquals(refused.err(), 1, refused.err().lines().count());
      assertTrue(refused.err(), refused.err().startsWith("ib: the page cannot listen on port "));
    }
    // the option without the file, and the file without the option
    assertEquals(2, Program.ib(copy.home(), "", "--wob").status());
    copy.configure("ib.web.cfg", "enabled = true\nport = 0\n");
    Program on = Program.ib(copy.home(), "exit\n");
    assertTrue(on.out(), SHOWN.matcher(on.out()).find());
    assertFalse(on.err(), on.err().contains("password"));
  }

  @Test
  public void aServiceShowsThePasswordOnceAndKeepsItInNoLog() throws Exception {
    Folder copy = Folder.copy(temporary.newFolder().toPath().resolve("ib"));
    copy.configure("ib.web.cfg", "port = 0\n");
    Path run = copy.home().resolve("run");
    Map<String, String> environment = Map.of("IB_RUN", run.toString(), "IB_LOG", "DEBUG");
    Program start = Program.ib(copy.home(), "", environment, "start", "--web");
    try {
      Matcher shown = SHOWN.matcher(start.out());
      assertTrue(start.out() + start.err(), shown.find());
      String secret = shown.group(4);
      byte[] words = ("admin:" + secret).getBytes(StandardCharsets.UTF_8);
      String basic = "Basic " + Base64.getEncoder().encodeToString(words);
      String address = shown.group(1) + shown.group(2) + "/topology";
      assertEquals(200, ask(to(address).header("Authorization", basic)).statusCode());
      assertEquals(401, ask(to(address)).statusCode());
      try (Stream<Path> files = Files.walk(run)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String text = Files.readString(file, StandardCharsets.ISO_8859_1);
          assertFalse(file + " has the password", text.contains(secret));
        }
      }
      Program again = Program.ib(copy.home(), "", environment, "start", "--web");
      assertFalse(again.out(), again.out().contains("password"));
      assertTrue(again.err(), again.err().contains("--web changes nothing while it runs"));
    } finally {
      Program.ib(copy.home(), "", environment, "stop");
    }
  }

  @Test
  public void withoutBeingAskedForTheBundlesAreNotInstalled() throws Exception {
    Program run = Program.ib(Distro.HOME, "", Map.of("IB_WEB", "true"), "exec", "lb -s");
    assertEquals(run.err(), 0, run.status());
    assertFalse(run.out(), run.out().contains("webconsole") || run.out().contains("ib.web"));
    assertTrue(Files.exists(Distro.HOME.resolve("web/ib.web.jar")));
  }

  @Test
  public void aPersonUnplugsADeviceAndSeesLostPackets() throws Exception {
    String why = Browser.whyNot();
    assumeTrue(why, why.isEmpty());
    Path profile = temporary.newFolder().toPath();
    try (Browser browser = new Browser(profile, "admin", password)) {
      unplugs(browser);
      losesPackets(browser);
      looksAround(browser);
      assertEquals("[]", browser.complaints().toString());
      for (String address : browser.addresses()) {
        if (address.startsWith("http")) {
          assertTrue(address, address.startsWith(server));
          assertEquals(address, 401, ask(to(address)).statusCode());
        }
      }
      assertTrue(browser.addresses().toString(), browser.addresses().size() > SCREENS.size());
    }
  }

  private static void unplugs(Browser browser) throws IOException {
    browser.open(page);
    browser.awaitElement("#node-soft0.active");
    browser.awaitElement("#node-soft1.active");
    browser.click("#node-soft1");
    browser.awaitElement("#panel button[data-act=unplug]");
    browser.picture(PICTURES.resolve("topology.png"), 700);
    browser.click("#panel button[data-act=unplug]");
    browser.awaitElement("#node-soft1.gone");
    assertEquals("rgb(221, 221, 221)", browser.style("#node-soft1.gone rect", "fill"));
    browser.click("#panel button[data-act=plug]");
    browser.awaitElement("#node-soft1.active");
    browser.click("#panel button[data-act=pull]");
    browser.awaitElement("#node-soft1.down");
    browser.click("#panel button[data-act=connect]");
    browser.awaitElement("#node-soft1.active");
  }

  private static void losesPackets(Browser browser) throws Exception {
    browser.open(page + "/faults");
    browser.fill("select[name=device]", "soft0");
    browser.fill("select[name=kind]", "loss");
    // the page's own packets take part: of 80 packets of the ping-pong some must be lost
    browser.fill("input[name=rate]", "20%");
    browser.click("form button");
    browser.awaitElement("tr.rule");
    shell.run("ib:fault seed soft0 7");
    browser.picture(PICTURES.resolve("faults.png"), 500);
    browser.open(page + "/ladder");
    browser.fill("select[name=device]", "soft0");
    browser.click("form button");
    Browser.await(
        "a recording",
        () -> browser.evaluate("document.body.innerText").contains("is being recorded"));
    shell.run("ibv_rc_pingpong -d soft0 -n 40 -s 512 soft1");
    browser.awaitElement(".arrow.lost");
    browser.awaitElement(".arrow.repeat");
    assertEquals("rgb(221, 34, 34)", browser.style(".arrow.repeat line", "stroke"));
    assertEquals("rgb(221, 34, 34)", browser.style(".arrow.lost line", "stroke"));
    assertTrue(
        browser
            .evaluate("document.querySelector('.arrow.lost').textContent")
            .contains("injected fault: loss"));
    browser.click("#ib-controls button[data-act=stop]");
    browser.pictureAround(PICTURES.resolve("ladder.png"), ".arrow.lost", 520);
    browser.open(page + "/counters");
    browser.awaitElement("#chart-soft0-1 rect.drops");
    browser.picture(PICTURES.resolve("counters.png"), 700);
    browser.open(page + "/faults");
    browser.click("tr.rule button");
    Browser.await("no rule", () -> browser.count("tr.rule") == 0);
  }

  private static void looksAround(Browser browser) throws IOException {
    browser.open(page + "/events");
    browser.awaitElement("rect.step");
    browser.awaitElement("circle.event");
    browser.picture(PICTURES.resolve("events.png"), 900);
    browser.open(page + "/pairs");
    browser.click("tr.pair");
    browser.awaitElement("#panel pre");
    assertTrue(
        browser.evaluate("document.querySelector('#panel pre').textContent").startsWith("QP 0x"));
    browser.picture(PICTURES.resolve("pairs.png"), 700);
    browser.open(page + "/contract");
    Browser.await(
        "the contract", () -> browser.evaluate("document.body.innerText").contains("0 violations"));
    browser.picture(PICTURES.resolve("contract.png"), 700);
  }
}
