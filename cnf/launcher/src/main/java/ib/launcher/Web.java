package ib.launcher;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The page of {@code ib --web}: its address, its password, and the bundles of {@code web/} that
 * make it. The file {@code conf/ib.web.cfg} may hold {@code enabled}, {@code host} and {@code
 * port}. Without {@code --web} and without {@code enabled = true} the bundles are not installed,
 * and nothing listens.
 */
final class Web {
  /** The folder with the bundles. */
  static final String FOLDER = "web";

  /** After the tools, so that the page is the first to go. */
  static final int START_LEVEL = 25;

  private static final String PROPERTY = "ib.web";
  private static final String FILE = "ib.web.cfg";
  private static final Set<String> KEYS = Set.of("enabled", "host", "port");
  private static final int PORT = 8181;
  private static final int MAX_PORT = 65535;
  private static final int PASSWORD_BYTES = 15;
  private static final String USER = "admin";

  private final InetAddress host; // the loopback address, unless the file names another one
  private final int port;
  private final String password; // only its hash leaves this process but by the announcement
  private final List<String> bundles;

  private Web(InetAddress host, int port, String password, List<String> bundles) {
    this.host = host;
    this.port = port;
    this.password = password;
    this.bundles = bundles;
  }

  /** {@return whether the caller of this program asks for the page} */
  static boolean asked() {
    return Boolean.getBoolean(PROPERTY);
  }

  /**
   * Returns the page that is asked for, with a new password, or null when there is to be none.
   *
   * @param home the distribution
   * @throws IOException when the file has a wrong value, the port is taken, or {@code web/} is
   *     missing
   */
  static @Nullable Web wanted(Path home) throws IOException {
    Path file = home.resolve("conf").resolve(FILE);
    Properties keys = new Properties();
    if (Files.exists(file)) {
      try (var reader = Files.newBufferedReader(file)) {
        keys.load(reader);
      }
    }
    for (String key : keys.stringPropertyNames()) {
      if (!KEYS.contains(key)) {
        throw new IOException(file + " has a key " + key + ": enabled, host and port are possible");
      }
    }
    String enabled = keys.getProperty("enabled", "false").strip();
    if (!enabled.equals("true") && !enabled.equals("false")) {
      throw new IOException(file + " has enabled = " + enabled + ": true or false is possible");
    }
    if (!asked() && enabled.equals("false")) {
      return null;
    }
    InetAddress host = readHost(file, keys.getProperty("host", "127.0.0.1").strip());
    int port = free(host, readPort(file, keys.getProperty("port", "" + PORT).strip()));
    return new Web(host, port, makePassword(), jars(home.resolve(FOLDER)));
  }

  private static InetAddress readHost(Path file, String name) throws IOException {
    try {
      return InetAddress.getByName(name);
    } catch (UnknownHostException e) {
      throw new IOException(file + " has host = " + name + ", which is no address", e);
    }
  }

  private static int readPort(Path file, String number) throws IOException {
    if (!number.matches("[0-9]{1,5}") || Integer.parseInt(number) > MAX_PORT) {
      throw new IOException(
          file + " has port = " + number + ": 0 to " + MAX_PORT + " is possible, 0 for a free one");
    }
    return Integer.parseInt(number);
  }

  /** {@return the port, or a free one for 0} Nothing listens there when this returns. */
  private static int free(InetAddress host, int port) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(host, port));
      return probe.getLocalPort();
    } catch (BindException e) {
      throw new IOException(
          "the page cannot listen on port %d of %s (%s): set another port in conf/%s"
              .formatted(port, host.getHostAddress(), e.getMessage(), FILE),
          e);
    }
  }

  private static String makePassword() {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return Base64.getUrlEncoder().encodeToString(random);
  }

  private static List<String> jars(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new IOException(folder + " is missing: the distribution is not complete");
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .map(name -> name.substring(0, name.length() - ".jar".length()))
          .sorted()
          .toList();
    }
  }

  /** {@return symbolic names of the bundles, which are also the names of their jars} */
  List<String> bundles() {
    return bundles;
  }

  /** {@return the framework properties that the HTTP service and the Web Console read} */
  Map<String, String> properties() {
    return Map.of(
        "org.apache.felix.http.host",
        host.getHostAddress(),
        "org.osgi.service.http.port",
        Integer.toString(port),
        "org.apache.felix.http.jetty.sendServerHeader",
        "false",
        "felix.webconsole.username",
        USER,
        "felix.webconsole.password",
        "{sha-256}" + hash(password));
  }

  private static String hash(String password) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JDK has SHA-256
    }
  }

  /** {@return the line that shows a user of this process where the page is, and the password} */
  String announcement() {
    String name = host.getHostAddress();
    return "page: http://%s:%d/system/console/ib  user: %s  password: %s"
        .formatted(name.contains(":") ? "[" + name + "]" : name, port, USER, password);
  }

  /** Writes the announcement to a new file that only the user of this process can read. */
  void keep(Path file) throws IOException {
    Files.deleteIfExists(file);
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
      channel.write(StandardCharsets.UTF_8.encode(announcement() + "\n"));
    }
  }
}
