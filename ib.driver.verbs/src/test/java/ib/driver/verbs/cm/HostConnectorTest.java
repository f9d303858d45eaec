package ib.driver.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorInquiry;
import ib.core.cm.ConnectorLink;
import ib.core.cm.ConnectorListener;
import ib.core.cm.ConnectorPending;
import ib.core.cm.ConnectorPsns;
import ib.core.cm.ConnectorSpace;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.IbPermissionException;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Waiter;
import ib.driver.verbs.object.Sysfs;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17, V8: the kernel's connection manager, where there is none or a strange one")
final class HostConnectorTest {
  private static final InetSocketAddress AT = new InetSocketAddress("10.0.0.1", 7000);

  private static final ConnectorAttempt ATTEMPT =
      new ConnectorAttempt(
          ConnectorSpace.TCP,
          1,
          AT,
          new InetSocketAddress("10.0.0.2", 7001),
          new ConnectorEndpoint(7, 1, 1, 7, false),
          7,
          14,
          0,
          new byte[0]);

  private static HostConnector connector(Path root) {
    Sysfs sysfs = new Sysfs(root, root);
    return new HostConnector(
        new Libc(), sysfs, new HostConnector.Device("verbs0", "rxe0", 1), text -> {});
  }

  private static void says(IbException e, String... words) {
    for (String word : words) {
      assertTrue(e.getMessage().contains(word), e.getMessage());
    }
  }

  private static IbException listen(HostConnector of) {
    return assertThrows(IbException.class, () -> of.listen(ConnectorSpace.TCP, AT, 1, a -> null));
  }

  @Test
  @DisplayName("no file, no right: which file, and what to do")
  void refusals(@TempDir Path root) {
    HostConnector connector = connector(root);
    IbException none = listen(connector);
    assertInstanceOf(IbNotSupportedException.class, none);
    says(none, "connections on verbs0", root.resolve("rdma_cm").toString(), "modprobe rdma_ucm");
    IbException right =
        new UcmHost(new Libc()).refusal("verbs0", "/dev/infiniband/rdma_cm", Libc.EACCES);
    assertInstanceOf(IbPermissionException.class, right);
    says(right, "/dev/infiniband/rdma_cm", "add the user to the group of the file");
    connector.close();
    assertInstanceOf(IbDisassociatedException.class, listen(connector));
  }

  @Test
  @DisplayName(
      "a file that is no connection manager: events that mean nothing end no thread, close returns")
  void strange(@TempDir Path root) throws Exception {
    Files.createSymbolicLink(root.resolve("rdma_cm"), Path.of("/dev/null"));
    HostConnector connector = connector(root);
    connector.listen(ConnectorSpace.TCP, AT, 1, a -> null).close(); // it takes every write
    connector.close();
    assertInstanceOf(IbDisassociatedException.class, listen(connector));
  }

  /** A connection manager that takes each command, and has no event until it is told to fail. */
  private static class Kernel extends UcmHost {
    final Libc libc;
    final String path;
    volatile int errno = Libc.EAGAIN;

    Kernel(Path file) {
      this(new Libc(), file);
    }

    private Kernel(Libc libc, Path file) {
      super(libc);
      this.libc = libc;
      this.path = file.toString();
    }

    /** {@return how many file descriptors of this process lead to its file} */
    long opened() throws IOException {
      try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
        return all.filter(fd -> leadsTo(fd, path)).count();
      }
    }

    private static boolean leadsTo(Path fd, String path) {
      try {
        return Files.readSymbolicLink(fd).toString().equals(path);
      } catch (IOException e) {
        return false; // of the listing itself
      }
    }

    @Override
    UcmFile file(Frame frame, String asked) {
      return new UcmFile(libc, libc.open(frame, path)) {
        @Override
        int give(Request request) {
          return request.toString().equals("GET_EVENT") ? errno : 0;
        }
      };
    }
  }

  private static HostConnector connector(Path root, UcmHost host, Consumer<String> log) {
    HostConnector.Device device = new HostConnector.Device("verbs0", "rxe0", 1);
    return new HostConnector(new Libc(), new Sysfs(root, root), device, log, host);
  }

  @Test
  @DisplayName("a process that may open no more files keeps none of a connector that failed")
  void noBell(@TempDir Path root) throws IOException {
    Kernel kernel =
        new Kernel(Files.createFile(root.resolve("manager"))) {
          @Override
          Waiter waiter() {
            throw new IbNoMemoryException("eventfd", "too many open files", "ulimit -n");
          }
        };
    HostConnector connector = connector(root, kernel, text -> {});
    says(listen(connector), "too many open files", "ulimit -n");
    assertEquals(0, kernel.opened(), "the file is closed again");
    connector.close();
  }

  @Test
  @DisplayName(
      "the kernel's events end with an error: each connection hears it once, it is counted and"
          + " logged once, and what comes later is refused with the reason")
  void noMoreEvents(@TempDir Path root) throws Exception {
    Kernel kernel = new Kernel(Files.createFile(root.resolve("manager")));
    List<String> log = new CopyOnWriteArrayList<>();
    BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    HostConnector connector = connector(root, kernel, log::add);
    ConnectorLink one = connector.connect(ATTEMPT, new Ends(ends));
    connector.connect(ATTEMPT, new Ends(ends));
    connector.connect(ATTEMPT, new Ends(ends)).close();
    ConnectorInquiry inquiry = new ConnectorInquiry(1, AT, AT, 0, new byte[0]);
    ConnectorPending asks = connector.resolve(inquiry, new Answers(ends));
    connector.resolve(inquiry, new Answers(ends)).close();
    ConnectorListener ear = connector.listen(ConnectorSpace.TCP, AT, 1, a -> null);
    assertEquals(0, connector.failures());
    kernel.errno = Libc.EIO;
    assertEquals("FAILED 5", ends.poll(10, TimeUnit.MINUTES));
    assertEquals("FAILED 5", ends.poll(10, TimeUnit.MINUTES));
    assertEquals("question FAILED 5", ends.poll(10, TimeUnit.MINUTES));
    says(listen(connector), "connections on verbs0", "no more events, errno 5", "ib:plug");
    assertThrows(IbException.class, () -> connector.connect(ATTEMPT, new Ends(ends)));
    assertThrows(IbException.class, () -> connector.resolve(inquiry, new Answers(ends)));
    one.close();
    asks.close();
    ear.close();
    connector.close();
    assertEquals(1, connector.failures());
    assertEquals(1, log.size(), log.toString());
    assertTrue(log.getFirst().contains("errno 5"), log.toString());
    assertEquals(List.of(), List.copyOf(ends), "a closed one hears nothing, the others one end");
    assertEquals(0, kernel.opened());
  }

  /** Writes down the ends. */
  private record Ends(BlockingQueue<String> ends) implements ConnectorEvents {
    @Override
    public void replied(ConnectorEndpoint peer, ConnectorPsns psns, byte[] data) {
      ends.add("replied");
    }

    @Override
    public void established() {
      ends.add("established");
    }

    @Override
    public void ended(ConnectorEnd how, int status, byte[] data) {
      ends.add(how + " " + status);
    }
  }

  /** Writes down the ends of questions. */
  private record Answers(BlockingQueue<String> ends) implements ConnectorAnswer {
    @Override
    public void answered(int qpn, int qkey, byte[] data) {
      ends.add("answered " + qpn + " " + Integer.toHexString(qkey) + " " + data.length);
    }

    @Override
    public void ended(ConnectorEnd how, int status, byte[] data) {
      ends.add("question " + how + " " + status);
    }
  }

  /** A kernel that tells one event of each ID whose address it is to resolve. */
  private static final class Teller extends Kernel {
    private final int type;
    private final int status;
    private long created; // by the thread that asks
    private volatile long uid;

    Teller(Path file, int type, int status) {
      super(file);
      this.type = type;
      this.status = status;
    }

    @Override
    UcmFile file(Frame frame, String asked) {
      return new UcmFile(libc, libc.open(frame, path)) {
        @Override
        int give(Request request) {
          if (request.toString().equals("GET_EVENT")) {
            return tell(request);
          }
          if (request.toString().equals("CREATE_ID")) {
            created = request.body.get(ValueLayout.JAVA_LONG, 0);
          } else if (request.toString().equals("RESOLVE_ADDR")) {
            uid = created; // before it the kernel has nothing to tell
          }
          return 0;
        }
      };
    }

    private int tell(UcmFile.Request request) {
      long at = request.body.get(ValueLayout.JAVA_LONG, 0);
      MemorySegment e = Frame.at(at, Layout.size("rdma_ucm_event_resp"));
      if (uid == 0) {
        return Libc.EAGAIN;
      }
      String struct = "rdma_ucm_event_resp";
      e.set(ValueLayout.JAVA_LONG, Layout.at(struct, "uid", 8), uid);
      e.set(ValueLayout.JAVA_INT, Layout.at(struct, "event", 4), type);
      e.set(ValueLayout.JAVA_INT, Layout.at(struct, "status", 4), status);
      long ud = Layout.at(struct, "param.ud");
      e.set(ValueLayout.JAVA_INT, ud + Layout.at("rdma_ucm_ud_param", "qp_num", 4), 0x123456);
      e.set(ValueLayout.JAVA_INT, ud + Layout.at("rdma_ucm_ud_param", "qkey", 4), 0x01234567);
      uid = 0;
      return 0;
    }
  }

  private static String told(Path root, int type, int status) throws Exception {
    Path file = Files.createTempFile(root, "manager", "");
    BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    HostConnector connector = connector(root, new Teller(file, type, status), text -> {});
    ConnectorPending asks =
        connector.resolve(new ConnectorInquiry(1, AT, AT, 0, new byte[0]), new Answers(ends));
    String first = ends.poll(10, TimeUnit.MINUTES);
    asks.close();
    connector.close();
    assertEquals(List.of(), List.copyOf(ends), "one answer");
    return first;
  }

  @Test
  @DisplayName("the kernel's events about a question for a datagram service")
  void questions(@TempDir Path root) throws Exception {
    assertEquals("answered 1193046 1234567 136", told(root, 9, 0));
    assertEquals("question REJECTED 1", told(root, 7, 1)); // the service's status
    assertEquals("question UNREACHABLE 110", told(root, 7, -110));
    assertEquals("question UNRESOLVED 113", told(root, 1, -113));
    assertEquals("question UNRESOLVED 101", told(root, 3, -101));
    assertEquals("question FAILED 22", told(root, 6, -22));
    assertEquals("question REMOVED 0", told(root, 11, 0));
    assertEquals("question FAILED 19", told(root, 0, 0)); // the address is of another device
  }

  @Test
  @DisplayName("addresses and parameters come back as they were written")
  void roundTrips() {
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(Sockaddr.MAX_BYTES);
      assertEquals(16, Sockaddr.write(c, 0, AT, 0));
      assertEquals(AT, Sockaddr.read(c, 0));
      InetSocketAddress six = new InetSocketAddress("fd77::2", 65_535);
      assertEquals(28, Sockaddr.write(c, 0, six, 0));
      assertEquals(six, Sockaddr.read(c, 0));
      MemorySegment p = frame.zeros(Layout.size("rdma_ucm_conn_param"));
      ConnParam.write(p, 0, new ConnectorEndpoint(0xabcdef, 3, 4, 7, true), 6, new byte[] {1, 2});
      assertEquals( // the kernel tells the reads from the receiver's side
          new ConnectorEndpoint(0xabcdef, 4, 3, 7, true), ConnParam.peer(p, 0));
      assertArrayEquals(new byte[] {1, 2, 0}, ConnParam.data(p, 0, 3));
    }
  }
}
