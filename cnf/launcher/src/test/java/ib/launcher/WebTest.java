package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The page of ib --web: wanted or not, where it listens, its password")
class WebTest {
  @TempDir Path home;

  @BeforeEach
  void distribution() throws IOException {
    Files.createDirectories(home.resolve("conf"));
    Files.createDirectories(home.resolve("web"));
    Files.createFile(home.resolve("web/b.jar"));
    Files.createFile(home.resolve("web/a.jar"));
  }

  private Web wanted(String... lines) throws IOException {
    Files.write(home.resolve("conf/ib.web.cfg"), List.of(lines));
    return Web.wanted(home);
  }

  private static String password(Web web) {
    return web.announcement().replaceFirst(".*password: ", "");
  }

  @Test
  @DisplayName("without --web and without enabled = true there is none")
  void notWanted() throws IOException {
    assertNull(Web.wanted(home));
    assertNull(wanted("port = 0"));
    assertNull(wanted("enabled = false"));
  }

  @Test
  @DisplayName("it listens on the loopback address only, unless the file names another one")
  void loopback() throws IOException {
    Web web = wanted("enabled = true", "port = 0");
    assertEquals("127.0.0.1", web.properties().get("org.apache.felix.http.host"));
    assertEquals(List.of("a", "b"), web.bundles());
    Web open = wanted("enabled = true", "port = 0", "host = 0.0.0.0");
    assertEquals("0.0.0.0", open.properties().get("org.apache.felix.http.host"));
    assertTrue(
        wanted("enabled=true", "port=0", "host=::1")
            .announcement()
            .contains("http://[0:0:0:0:0:0:0:1]:"));
  }

  @Test
  @DisplayName("the password is new each time; the framework gets its hash only")
  void password() throws Exception {
    Web one = wanted("enabled = true", "port = 0");
    String secret = password(one);
    assertEquals(20, secret.length());
    assertNotEquals(secret, password(wanted("enabled = true", "port = 0")));
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    assertEquals(
        "{sha-256}" + Base64.getEncoder().encodeToString(hash),
        one.properties().get("felix.webconsole.password"));
    assertFalse((one.properties() + one.toString()).contains(secret));
  }

  @Test
  @DisplayName("a file that keeps the password can be read by its user only")
  void file() throws IOException {
    Web web = wanted("enabled = true", "port = 0");
    Path file = home.resolve("page");
    Files.writeString(file, "older");
    web.keep(file);
    assertEquals(web.announcement() + "\n", Files.readString(file));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  @DisplayName("a port that is taken is refused in one sentence")
  void takenPort() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = other.getLocalPort();
      IOException e =
          assertThrows(IOException.class, () -> wanted("enabled = true", "port = " + port));
      assertEquals(
          "the page cannot listen on port "
              + port
              + " of 127.0.0.1 (Address already in use): set another port in conf/ib.web.cfg",
          e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"port = 65536", "port = x", "enabled = yes", "host = no such host", "prot = 1"})
  @DisplayName("a wrong key or value is refused with what is possible")
  void wrongValues(String line) {
    IOException e = assertThrows(IOException.class, () -> wanted("enabled=true", line));
    String named = line.split(" ", 2)[0];
    assertTrue(
        e.getMessage().contains("ib.web.cfg has ") && e.getMessage().contains(named),
        e.getMessage());
  }
}
