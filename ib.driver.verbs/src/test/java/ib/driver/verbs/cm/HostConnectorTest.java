package ib.driver.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.cm.ConnectorEndpoint;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.IbPermissionException;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.object.Sysfs;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 17, V8: the kernel's connection manager, where there is none or a strange one")
final class HostConnectorTest {
  private static final InetSocketAddress AT = new InetSocketAddress("10.0.0.1", 7000);

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
    return assertThrows(IbException.class, () -> of.listen(AT, 1, a -> null));
  }

  @Test
  @DisplayName("no file, no right: which file, and what to do")
  void refusals(@TempDir Path root) {
    HostConnector connector = connector(root);
    IbException none = listen(connector);
    assertInstanceOf(IbNotSupportedException.class, none);
    says(none, "connections on verbs0", root.resolve("rdma_cm").toString(), "modprobe rdma_ucm");
    IbException right = connector.refusal("/dev/infiniband/rdma_cm", Libc.EACCES);
    assertInstanceOf(IbPermissionException.class, right);
    says(right, "/dev/infiniband/rdma_cm", "add the user to the group of the file");
    connector.close();
    assertInstanceOf(IbDisassociatedException.class, listen(connector));
  }

  @Test
  @DisplayName("a file that is no connection manager: a read fails, its thread ends, close returns")
  void strange(@TempDir Path root) throws Exception {
    Files.createSymbolicLink(root.resolve("rdma_cm"), Path.of("/dev/null"));
    HostConnector connector = connector(root);
    connector.listen(AT, 1, a -> null).close(); // it takes every write
    connector.close();
    assertInstanceOf(IbDisassociatedException.class, listen(connector));
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
