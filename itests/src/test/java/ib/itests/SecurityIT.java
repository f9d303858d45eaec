package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A started runtime is alone with its user: every socket that it listens on is one of the loopback
 * interface, and no other user can write, or read what the runtime has written.
 */
public class SecurityIT {
  private static final int IBSIM_PORT = 17_070;
  private static final int CAPTURE_PORT = 17_071;
  private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");

  /** Local address and port in hexadecimal, the other side, the state; later the inode. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*\\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) "
              + "\\S+ \\S+ \\S+\\s+\\d+\\s+\\d+ (\\d+) .*");

  /** 127.0.0.1, and ::ffff:127.0.0.1 and ::1, in the order of bytes that the kernel prints. */
  private static final Set<String> LOOPBACK =
      Set.of("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  private final Map<String, String> environment = new HashMap<>();
  private Folder folder;
  private Path run;

  @Before
  public void starts() throws Exception {
    Path root = temporary.getRoot().toPath();
    folder = Folder.copy(root.resolve("ib"));
    run = root.resolve("run");
    environment.put("IB_RUN", run.toString());
    folder.configure("ib.driver.soft.fabric.cfg", "ibsim.port = " + IBSIM_PORT + "\n");
    ib("start");
    ib("exec", "--attach", "ib:capture start soft0 -t " + CAPTURE_PORT);
  }

  @After
  public void stops() throws Exception {
    Program.ib(folder.home(), "", environment, "stop");
  }

  private Program ib(String... arguments) throws Exception {
    Program ran = Program.ib(folder.home(), "", environment, arguments);
    assertEquals(ran.out() + ran.err(), 0, ran.status());
    return ran;
  }

  @Test
  public void issue16EachListeningSocketIsOfTheLoopbackInterfaceAndWasAskedFor() throws Exception {
    Set<Integer> ports = new TreeSet<>();
    Set<String> inodes = sockets();
    for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
        Matcher socket = LINE.matcher(line);
        boolean listens =
            socket.matches()
                && inodes.contains(socket.group(4))
                && (table.startsWith("udp") || socket.group(3).equals("0A"));
        if (listens) {
          assertTrue(table + " " + line, LOOPBACK.contains(socket.group(1)));
          ports.add(Integer.parseInt(socket.group(2), 16));
        }
      }
    }
    assertEquals(Set.of(IBSIM_PORT, CAPTURE_PORT), ports);
  }

  /** {@return the inodes of the sockets of the service's process} */
  private Set<String> sockets() throws IOException {
    String pid = Files.readString(run.resolve("pid")).strip();
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc", pid, "fd"))) {
      for (Path descriptor : descriptors.filter(Files::isSymbolicLink).toList()) {
        Matcher socket = SOCKET.matcher(Files.readSymbolicLink(descriptor).toString());
        if (socket.matches()) {
          inodes.add(socket.group(1));
        }
      }
    }
    assertTrue("no socket at all", inodes.size() > 2);
    return inodes;
  }

  @Test
  public void issue16NoOtherUserCanReadWhatTheRuntimeWrites() throws Exception {
    Path capture = temporary.getRoot().toPath().resolve("trace.pcapng");
    ib("exec", "--attach", "ib:capture start soft1 " + capture + "; ib:capture stop");
    List<String> open = new ArrayList<>();
    try (Stream<Path> files = Files.walk(run)) {
      for (Path file : Stream.concat(files, Stream.of(capture)).toList()) {
        Set<PosixFilePermission> modes =
            Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
        if (modes.stream().anyMatch(m -> !m.name().startsWith("OWNER_"))) {
          open.add(file + " " + modes);
        }
      }
    }
    assertEquals(List.of(), open);
  }

  /** Reads a byte of the socket that is its argument, and prints it, or -1 at the end. */
  private static final String KNOCK =
      """
      void main(String[] a) throws Exception {
        try (var to = java.nio.channels.SocketChannel.open(
            java.net.UnixDomainSocketAddress.of(a[0]))) {
          System.out.println("end " + to.read(java.nio.ByteBuffer.allocate(1)));
        }
      }
      """;

  @Test
  public void u12ACallerOfAnotherUserIsRefusedAlsoWhereTheModesLetItIn() throws Exception {
    assumeTrue("needs root to be another user", System.getProperty("user.name").equals("root"));
    Path knock = Files.writeString(temporary.getRoot().toPath().resolve("Knock.java"), KNOCK);
    String java = System.getProperty("java.home") + "/bin/java";
    List<String> other =
        List.of(
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", java, "--source", "25");
    List<String> command = new ArrayList<>(other);
    command.addAll(List.of(knock.toString(), run.resolve("socket").toString()));
    for (Path p : List.of(temporary.getRoot().toPath(), run)) {
      Files.setPosixFilePermissions(p, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Program shut = Program.run(command, "", Map.of());
    assertTrue(shut.out() + shut.err(), shut.err().contains("Permission denied"));
    Files.setPosixFilePermissions(
        run.resolve("socket"), PosixFilePermissions.fromString("rw-rw-rw-"));
    Program refused = Program.run(command, "", Map.of());
    assertEquals(refused.err(), "end -1\n", refused.out());
    String log = Files.readString(run.resolve("ib.log"));
    assertTrue(log, log.contains("is refused: user nobody, not root"));
    ib("exec", "--attach", "ibv_devices"); // its user is served
  }
}
