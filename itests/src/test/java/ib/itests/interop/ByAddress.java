package ib.itests.interop;

import static org.junit.Assert.assertEquals;

import ib.itests.Program;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.Test;

/**
 * A program of librdmacm, which connects by address and port, in both directions: the peer's kernel
 * and its librdmacm are unmodified.
 */
public abstract class ByAddress {
  private static int last = 7_200; // a port of its own for each test

  final String options;
  private final boolean ipv6;
  private int port;

  ByAddress(String options, boolean ipv6) {
    this.options = options;
    this.ipv6 = ipv6;
  }

  /** {@return the command of a server} */
  abstract String server(int port, String address);

  /** {@return the command of a client} */
  abstract String client(int port, String address);

  /** {@return the port of a test: a free one, unless the program has its own} */
  int port(int free) {
    return free;
  }

  /** Looks at what both have printed. */
  abstract void check(String client, String server);

  /** Looks at what our server has printed, besides. */
  void served(String ours) {}

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
    port = port(++last);
  }

  /** Once for all cases of a program, because each question costs the emulated peer a process. */
  @AfterClass
  public static void nothingIsLeft() {
    Managers.nothingIsLeft();
  }

  private String here() {
    return ipv6 ? "fd77::1" : LinuxPeer.HERE;
  }

  private String there() {
    return ipv6 ? "fd77::2" : LinuxPeer.ADDRESS;
  }

  @Test
  public void weServe() throws Exception {
    Lane.LANE.inTime();
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(() -> Lane.LANE.run(server(port, here())), LinuxPeer.BESIDE);
    String at = InetAddress.getByName(here()).getHostAddress();
    Lane.LANE.shell().awaitText("listening on " + at + ", port " + port + "\n");
    Program theirs = Lane.LANE.peer.exec(client(port, here()));
    String printed = ours.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(theirs + "\n" + printed, 0, theirs.status());
    check(theirs.out(), printed);
    served(printed);
  }

  @Test
  public void linuxServes() throws Exception {
    Lane.LANE.inTime();
    String line = server(port, there());
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(line), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 600); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run(client(port, there()));
    Program ended = theirs.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    check(printed, ended.out());
  }
}
