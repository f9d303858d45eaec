package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The part of the compatibility suite that needs a peer, with the peer in a JVM of its own. The
 * rest of the suite looks at one device, or at both from one midlayer (removal, order, leaks), so
 * another JVM would be nothing new to it; {@link RxeContractTest} runs all of it.
 */
@DisplayName("issue 4, section 3: every opcode, the errors and faults, across two JVMs")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TwoProcessesTest {
  private static final int HERE = 0;
  private static final int THERE = 400_000;
  private static final int[] SIZES = {0, 1, 1023, 1024, 1025, 70_001};

  private final Station local = new Station();
  private Party remote;
  private PartyEnd a;
  private PartyEnd b;

  @BeforeAll
  void start() throws IOException {
    remote = new RemoteStation(List.of());
    local.tell("plug", "address=127.0.0.1");
    remote.tell("plug", "address=127.0.0.2");
  }

  @AfterAll
  void end() {
    remote.close();
    local.close();
  }

  @AfterEach
  void closeEnds() {
    remote.tell("faults");
    local.tell("faults");
    a.close();
    b.close();
  }

  /** Two ends; the first is where the requester is. */
  private void ends(boolean here, QpType type) {
    a = new PartyEnd(here ? local : remote, "a", type);
    b = new PartyEnd(here ? remote : local, "b", type);
  }

  private void pair(boolean here, QpType type) {
    ends(here, type);
    PartyEnd.connect(a, b);
  }

  static Stream<Arguments> data() {
    List<Arguments> all = new ArrayList<>();
    for (boolean here : new boolean[] {true, false}) {
      for (WrOpcode op :
          List.of(
              WrOpcode.SEND,
              WrOpcode.SEND_WITH_IMM,
              WrOpcode.RDMA_WRITE,
              WrOpcode.RDMA_WRITE_WITH_IMM,
              WrOpcode.RDMA_READ)) {
        all.add(arguments(QpType.RC, op, here));
        if (op != WrOpcode.RDMA_READ) {
          all.add(arguments(QpType.UC, op, here));
        }
      }
      all.add(arguments(QpType.UD, WrOpcode.SEND, here));
      all.add(arguments(QpType.UD, WrOpcode.SEND_WITH_IMM, here));
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0} {1}, requester here: {2}")
  @MethodSource("data")
  @DisplayName("IBA 9.4, 9.7, 9.8: every byte right, both completions, in all sizes on an edge")
  void data(QpType type, WrOpcode op, boolean here) {
    pair(here, type);
    int grh = type == QpType.UD ? 40 : 0;
    boolean read = op == WrOpcode.RDMA_READ;
    boolean write = op.name().startsWith("RDMA_WRITE");
    boolean received = !read && op != WrOpcode.RDMA_WRITE;
    for (int size : SIZES) {
      if (size > 1024 && type == QpType.UD) {
        continue;
      }
      long seed = size * 31L + op.value();
      (read ? b : a).fill(read ? THERE : HERE, size, seed);
      if (received) {
        b.receive(5, THERE - grh, write ? 0 : size + grh);
      }
      a.post(op, 6, HERE, size, b, THERE);
      if (received) {
        PartyEnd.Done done = b.next(5, WcStatus.SUCCESS);
        assertEquals(size + grh, done.bytes(), done::toString);
        if (op.name().endsWith("IMM")) {
          assertEquals(Station.IMMEDIATE, done.immediate() + "", done::toString);
        }
      }
      a.next(6, WcStatus.SUCCESS);
      if (op == WrOpcode.RDMA_WRITE && type == QpType.UC) {
        flush(size); // complete when sent: what follows tells that it has arrived
      }
      (read ? a : b).same(op + " " + size, read ? HERE : THERE, size, seed);
    }
  }

  private void flush(int size) {
    b.receive(7, 0, 0);
    a.post(WrOpcode.RDMA_WRITE_WITH_IMM, 8, HERE, size, b, THERE);
    a.next(8, WcStatus.SUCCESS);
    b.next(7, WcStatus.SUCCESS);
  }

  @ParameterizedTest(name = "requester here: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("IBA 9.4.5, 9.4.7, annex A19: atomics, atomic write, flush, send with invalidate")
  void eightBytes(boolean here) {
    pair(here, QpType.RC);
    b.fill(THERE, 8, 1);
    b.fill(4096, 8, 1);
    a.post(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, HERE, 8, b, THERE);
    a.next(1, WcStatus.SUCCESS);
    a.same("the value before", HERE, 8, 1);
    a.post(WrOpcode.ATOMIC_CMP_AND_SWP, 2, HERE, 8, b, THERE);
    a.next(2, WcStatus.SUCCESS);
    assertEquals(
        b.party.tell("long", "b", 4096),
        a.party.tell("long", "a", HERE, -5),
        "fetch and add has added 5, and compare and swap has told it");
    a.post(WrOpcode.ATOMIC_WRITE, 3, HERE, 8, b, THERE);
    a.next(3, WcStatus.SUCCESS);
    assertEquals("5", b.party.tell("long", "b", THERE));
    a.post(WrOpcode.ATOMIC_CMP_AND_SWP, 4, HERE, 8, b, THERE);
    a.next(4, WcStatus.SUCCESS);
    assertEquals("77", b.party.tell("long", "b", THERE), "compared equal, so swapped");
    a.post(WrOpcode.FLUSH, 5, HERE, 8, b, THERE);
    a.next(5, WcStatus.SUCCESS);
    String[] key = b.party.tell("fast", "b").split(" ");
    b.receive(6, 0, 64);
    a.post(WrOpcode.SEND_WITH_INV, 7, HERE, 8, Integer.parseInt(key[0]), 0, 0);
    a.next(7, WcStatus.SUCCESS);
    assertEquals(key[0], b.next(6, WcStatus.SUCCESS).immediate() + "", "the key invalidated");
    a.post(WrOpcode.RDMA_WRITE, 8, HERE, 8, Integer.parseInt(key[0]), Long.parseLong(key[1]), 0);
    a.next(8, WcStatus.REM_ACCESS_ERR);
  }

  @ParameterizedTest(name = "{0}, requester here: {1}")
  @CsvSource({
    "RDMA_WRITE, true",
    "RDMA_WRITE, false",
    "RDMA_READ, true",
    "RDMA_READ, false",
    "ATOMIC_FETCH_AND_ADD, true",
    "ATOMIC_FETCH_AND_ADD, false"
  })
  @DisplayName("IBA 9.7.4.1.5, 9.9.3: a wrong key or range is REM_ACCESS_ERR, and nothing changes")
  void access(WrOpcode op, boolean here) {
    for (int fault = 0; fault < 2; fault++) {
      pair(here, QpType.RC);
      b.fill(RxeSide.BYTES - 64, 64, 9);
      int key = fault == 0 ? ~b.rkey : b.rkey;
      long past = b.address + RxeSide.BYTES - (fault == 0 ? 8 : 0);
      a.post(op, 1, HERE, 8, key, past, 0);
      a.post(WrOpcode.RDMA_WRITE, 2, HERE, 8, b, 0);
      a.next(1, WcStatus.REM_ACCESS_ERR);
      a.next(2, WcStatus.WR_FLUSH_ERR);
      b.same("memory of the peer", RxeSide.BYTES - 64, 64, 9);
      assertEquals("ERR", a.state());
      if (fault == 0) {
        a.close();
        b.close();
      }
    }
  }

  @ParameterizedTest(name = "requester here: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("IBA 9.9.3: no right is REM_INV_REQ_ERR, too long is LOC_LEN_ERR, no receive is RNR")
  void refusals(boolean here) {
    ends(here, QpType.RC);
    b.party.tell("rights", "b", 0);
    PartyEnd.connect(a, b);
    a.post(WrOpcode.RDMA_WRITE, 1, HERE, 8, b, 0);
    a.next(1, WcStatus.REM_INV_REQ_ERR);
    again(here, 17, 7, 7);
    b.receive(2, 0, 7);
    a.post(WrOpcode.SEND, 3, HERE, 8, b, 0);
    a.next(3, WcStatus.REM_INV_REQ_ERR);
    b.next(2, WcStatus.LOC_LEN_ERR);
    again(here, 17, 7, 1);
    a.post(WrOpcode.SEND, 4, HERE, 8, b, 0);
    a.next(4, WcStatus.RNR_RETRY_EXC_ERR);
    again(here, 12, 1, 7); // nobody will answer
    b.party.tell("close", "b");
    a.post(WrOpcode.SEND, 5, HERE, 8, b, 0);
    a.post(WrOpcode.SEND, 6, HERE, 8, b, 0);
    a.next(5, WcStatus.RETRY_EXC_ERR);
    a.next(6, WcStatus.WR_FLUSH_ERR);
    b = new PartyEnd(b.party, "b", QpType.RC);
  }

  private void again(boolean here, int timeout, int retries, int rnrRetries) {
    a.close();
    b.close();
    ends(here, QpType.RC);
    PartyEnd.connect(a, b, timeout, retries, rnrRetries);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "loss rate=0.05",
        "duplicate rate=0.3",
        "reorder rate=0.3 packets=8 delay=1ms",
        "corrupt rate=0.03",
        "loss rate=0.1;duplicate rate=0.2;reorder rate=0.2 delay=1ms;corrupt rate=0.02"
      })
  @DisplayName("F3-F5: with faults at both ends every byte is right and every request completes")
  void faults(String rules) {
    ends(true, QpType.RC);
    PartyEnd.connect(a, b, 16, 7, 7);
    local.tell("faults", rules);
    remote.tell("faults", rules);
    PartyFlow here = PartyFlow.start(a, b);
    PartyFlow there = PartyFlow.start(b, a);
    here.reaches(40);
    there.reaches(40);
    here.ends();
    there.ends();
  }

  @Test
  @DisplayName("the checker notices a flipped bit that no checksum finds")
  void canary() {
    pair(true, QpType.RC);
    local.tell("faults", "silent rate=0.2 dir=out");
    PartyFlow here = PartyFlow.start(a, b);
    here.reaches(20);
    local.tell("faults");
    a.party.tell("stop", "a");
    assertTrue(here.settled().wrong() > 0, "not noticed");
  }
}
