package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.tools.rdmacm.CmWorld.Run;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("AP-1: rdma_server, rdma_client and cmtime, with the originals' options and output")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OnceTest {
  private static final String NUMBERS = ": +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+";

  /** Its first argument says which of the two programs it is. */
  private static final CmWorld.Program EITHER =
      (core, cm, out, err, args) -> {
        boolean server = args[0].equals("server");
        String[] options = Arrays.copyOfRange(args, 1, args.length);
        RdmaExample.run(core, cm, out, err, server, options);
      };

  @Test
  @DisplayName("T6: 16 bytes there and back, and the original's lines (golden cm_rdma_server)")
  void example() throws Exception {
    try (CmWorld world = new CmWorld(EITHER)) {
      Run server = world.start("server -p 7472").listening();
      Run client = world.start("client -p 7472 -s " + world.address()).done();
      server.done();
      assertEquals(List.of("rdma_client: start", "rdma_client: end 0"), client.out());
      assertEquals(List.of("rdma_server: start", "rdma_server: end 0"), server.out());
      String none = world.start("client -p 7472 -s " + world.address()).failed().getMessage();
      assertTrue(none.startsWith("rdma_client: event: RDMA_CM_EVENT_REJECTED, error: 8\n"), none);
    }
  }

  @Test
  @DisplayName("T6: a client that has the answer may disconnect before its acknowledgement comes")
  void lostAcknowledgement() throws Exception {
    try (CmWorld world = new CmWorld(EITHER)) {
      FaultInjection client = world.fabric().service("soft0", FaultInjection.class);
      client.add(FaultRule.parse("loss dir=out opcode=0x11"));
      Run server = world.start("server -p 7472").listening();
      world.start("client -p 7472 -s " + world.address()).done();
      assertEquals(List.of("rdma_server: start", "rdma_server: end 0"), server.done().out());
      assertTrue(client.list().getFirst().hit() > 0, "no acknowledgement was lost");
    }
  }

  @Test
  @DisplayName("T9: all of 200 connections are made, timed and closed; the server goes on")
  void times() throws Exception {
    try (CmWorld world = new CmWorld(Cmtime::run)) {
      Run server = world.start("-b " + world.address()).listening();
      for (int i = 0; i < 2; i++) {
        Run client = world.start("-c 200 -s " + world.address()).done();
        assertLinesMatch(
            List.of(
                "connecting",
                "disconnecting",
                "destroying id",
                "step              total ms     max ms     min us  us / conn",
                "resolve      " + NUMBERS,
                "create qp    " + NUMBERS,
                "connect      " + NUMBERS,
                "disconnect   " + NUMBERS,
                "destroy      " + NUMBERS),
            client.out());
      }
      server.interrupt();
      assertEquals(130, server.failed().getAsInt());
      assertEquals(1, server.err().size(), server.err()::toString);
      String none = world.start("-c 3 -s " + world.address()).failed().getMessage();
      String first = "cmtime: 3 of 3 were not made: RDMA_CM_EVENT_REJECTED, error 8\nconnect to ";
      assertTrue(none.startsWith(first) && none.contains("Try: whether the server runs"), none);
    }
  }
}
