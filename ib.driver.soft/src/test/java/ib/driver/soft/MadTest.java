package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import ib.core.verbs.WellKnown;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("M2 QP1 of two adapters, over the switch")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MadTest {
  private static final int CLASS = 0x09;

  private static MadAddress to(IbDevice peer) {
    return MadAddress.gsi(AhAttr.ofLid(1, peer.port(1).lid(), 0));
  }

  @Test
  @DisplayName("M4 M5 2,000 requests at once, more than the send queue holds: each has its answer")
  void requests() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      IbDevice a = lab.lease("soft0");
      IbDevice b = lab.lease("soft1");
      try (MadAgent server =
              MadAgent.register(
                  b,
                  1,
                  MadRegistration.gsi(CLASS, 1, MadMethod.GET),
                  (agent, r) -> agent.reply(r, r.mad().response(MadStatus.OK)));
          MadAgent client =
              MadAgent.register(a, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE)) {
        List<CompletableFuture<MadReceived>> all = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
          Mad get = Mad.request(CLASS, 1, MadMethod.GET, i, 0);
          all.add(client.query(get, to(b), 200, 100));
        }
        for (int i = 0; i < 2000; i++) {
          MadReceived answer = all.get(i).join();
          assertEquals(i, answer.mad().header().attributeId());
          assertEquals(b.port(1).lid(), answer.source().slid());
        }
        Mad other = Mad.request(CLASS, 2, MadMethod.GET, 1, 0);
        int status = client.query(other, to(b), 5000, 5).join().mad().header().status();
        assertEquals(MadStatus.BAD_METHOD_ATTRIBUTE, status);
        assertEquals(1, server.port());
      }
      assertTrue(lab.midlayer.core().managementCounters("soft0", 1).get("mad_received") >= 2001);
      assertEquals(List.of(), lab.midlayer.core().violations());
    }
  }

  @Test
  @DisplayName("M3 IBA 10.9.3 the partition that the sender names, the answer in the same")
  void partition() {
    try (Lab lab = new Lab()) {
      lab.configure("soft0", "pkeys", new String[] {"0xffff", "0x8123"});
      lab.configure("soft1", "pkeys", new String[] {"0x8123", "0xffff"});
      IbDevice a = lab.lease("soft0");
      IbDevice b = lab.lease("soft1");
      List<Integer> heard = new CopyOnWriteArrayList<>();
      try (MadAgent server =
              MadAgent.register(
                  b,
                  1,
                  MadRegistration.gsi(CLASS, 1, MadMethod.GET),
                  (agent, r) -> {
                    heard.add(r.source().pkeyIndex());
                    agent.reply(r, r.mad().response(MadStatus.OK));
                  });
          MadAgent client =
              MadAgent.register(a, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE)) {
        assertEquals(1, server.port());
        MadAddress other = new MadAddress(to(b).ah(), WellKnown.QPN_GSI, WellKnown.QP1_QKEY, 1);
        Mad get = Mad.request(CLASS, 1, MadMethod.GET, 1, 0);
        assertEquals(1, client.query(get, other, 2000, 5).join().source().pkeyIndex());
        assertEquals(0, heard.getLast(), "0x8123 in the table of soft1");
        get = Mad.request(CLASS, 1, MadMethod.GET, 2, 0);
        assertEquals(0, client.query(get, to(b), 2000, 5).join().source().pkeyIndex());
        assertEquals(1, heard.getLast(), "the default partition, wherever it stands");
        MadAddress none = new MadAddress(other.ah(), other.qpn(), other.qkey(), 10_000);
        assertThrows(
            CompletionException.class,
            () -> client.query(Mad.request(CLASS, 1, MadMethod.GET, 3, 0), none, 200, 0).join());
      }
    }
  }

  @Test
  @DisplayName("M7 a table of 1,000 records from one adapter to the other")
  void table() {
    try (Lab lab = new Lab("soft0", "soft1")) {
      IbDevice a = lab.lease("soft0");
      IbDevice b = lab.lease("soft1");
      byte[] table = new byte[64_000];
      new Random(1).nextBytes(table);
      try (MadAgent server =
              MadAgent.register(
                  b,
                  1,
                  MadRegistration.sa(MadMethod.GET_TABLE),
                  (agent, r) ->
                      agent.reply(r, r.mad().response(0).withData(MemorySegment.ofArray(table))));
          MadAgent client = MadAgent.register(a, 1, MadRegistration.sa(), MadHandler.NONE)) {
        Mad ask = Mad.request(0x03, 2, MadMethod.GET_TABLE, 0x35, 0);
        Mad answer = client.query(ask, to(b), 5000, 5).join().mad();
        assertEquals(1, server.port());
        assertEquals(-1, MemorySegment.ofArray(table).mismatch(answer.data()));
      }
    }
  }
}
