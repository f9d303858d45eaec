package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.rdma.RdmaCm;
import ib.cm.stream.RdmaStream;
import ib.cm.stream.StreamOptions;
import ib.tools.rdmacm.CmWorld.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("AP-1: rcopy, with the original's messages")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RcopyTest {
  @TempDir private Path folder;
  private final CmWorld world = new CmWorld(Rcopy::run);

  @AfterEach
  void close() {
    world.close();
  }

  private Path file(int bytes) throws IOException {
    byte[] random = new byte[bytes];
    new Random(bytes).nextBytes(random);
    return Files.write(folder.resolve("source"), random);
  }

  private Path target() throws IOException {
    return Files.createDirectory(folder.resolve("target"));
  }

  private Run server(Path target) {
    return world.start("-p 0 -d " + target);
  }

  private void end(Run server) {
    server.interrupt();
    assertEquals("rcopy: interrupted", server.failed().getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_536, 1_000_003})
  @DisplayName("every byte arrives, in a file of the server's folder; the next client is served")
  void copies(int bytes) throws Exception {
    Path source = file(bytes);
    Path target = target();
    Run server = server(target);
    for (String name : List.of("one", "two")) {
      String to = " [" + world.address() + "]:" + name;
      List<String> said = world.start(source + to + " -p " + server.port()).done().out();
      assertEquals("opening...transferring...closing...done", said.getFirst());
      assertTrue(said.getLast().startsWith(bytes + " bytes in "), said::toString);
      assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target.resolve(name)));
    }
    end(server);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../out", "/tmp/out", "a/b/../out"})
  @DisplayName("D9: whatever path a client asks for, its last name goes into the folder")
  void staysInside(String path) throws Exception {
    Path target = target();
    Run server = server(target);
    String to = " [" + world.address() + "]:" + path;
    world.start(file(10) + to + " -p " + server.port()).done();
    assertEquals(10, Files.size(target.resolve("out")));
    assertFalse(Files.exists(folder.resolve("out")));
    end(server);
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "/", "sub"})
  @DisplayName("a name that is no file's: the client hears EACCES, and the server goes on")
  void refused(String name) throws Exception {
    Path target = target();
    Files.createDirectory(target.resolve("sub"));
    Run server = server(target);
    String port = server.port();
    String to = " [" + world.address() + "]:";
    Run no = world.start(file(10) + to + name + " -p " + port);
    String why = no.failed().getMessage();
    assertEquals("rcopy: the server cannot open " + name + ": error 13", why);
    world.start(file(10) + to + "yes -p " + port).done();
    assertEquals(10, Files.size(target.resolve("yes")));
    end(server);
  }

  @Test
  @DisplayName("D9: bytes that are no message end their connection only")
  void strangers() throws Exception {
    Path target = target();
    Run server = server(target);
    String port = server.port();
    InetSocketAddress at =
        new InetSocketAddress(InetAddress.getByName(world.address()), Integer.parseInt(port));
    try (RdmaCm cm = RdmaCm.open(world.fabric().core(), world.manager(), "stranger")) {
      Random random = new Random(1);
      for (int i = 0; i < 50; i++) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        if (i % 2 == 0 && bytes.length > 4) { // a right header, and nonsense behind it
          bytes[0] = 0;
          bytes[1] = (byte) random.nextInt(5);
          bytes[3] = 0;
        }
        try (RdmaStream stream = RdmaStream.connect(cm, at, StreamOptions.defaults())) {
          ByteBuffer all = ByteBuffer.wrap(bytes);
          while (all.hasRemaining()) {
            stream.write(all);
          }
        } catch (IOException e) {
          assertFalse(e.getMessage().isEmpty()); // the server has closed the connection
        }
      }
    }
    String to = " [" + world.address() + "]:yes";
    world.start(file(10) + to + " -p " + port).done();
    assertEquals(10, Files.size(target.resolve("yes")));
    end(server);
  }

  @Test
  @DisplayName("no server, no file, no folder, one operand")
  void badInput() throws Exception {
    String host = "[" + world.address() + "]";
    assertTrue(
        world.start(file(1) + " " + host).failed().getMessage().contains("Connection refused"));
    assertTrue(world.start(folder.resolve("no") + " " + host).failed().getMessage().contains("no"));
    assertEquals(
        "rcopy: there is no folder " + folder.resolve("no"),
        server(folder.resolve("no")).failed().getMessage());
    String one = world.start("file").failed().getMessage();
    assertTrue(one.contains("a client needs a file and a server"), one);
  }
}
