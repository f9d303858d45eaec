package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.SmpAttribute;
import ib.core.sa.ClassPortInfo;
import ib.core.sa.GuidInfoRecord;
import ib.core.sa.LftRecord;
import ib.core.sa.LinkRecord;
import ib.core.sa.McMemberRecord;
import ib.core.sa.MftRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.Notice;
import ib.core.sa.PathRecord;
import ib.core.sa.PkeyTableRecord;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaClient;
import ib.core.sa.SaException;
import ib.core.sa.SaMulticast;
import ib.core.sa.SaRecord;
import ib.core.sa.SaSubscription;
import ib.core.sa.SlToVlRecord;
import ib.core.sa.SmInfoRecord;
import ib.core.sa.SwitchInfoRecord;
import ib.core.sa.VlArbitrationRecord;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.tools.getopt.CommandException;
import ib.tools.testing.Golden;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 3: saquery, byte for byte")
class SaqueryTest {
  private static final Gid BROADCAST = Gid.parse("ff12:401b:ffff::ffff:ffff");
  private final FakeSa sa = new FakeSa();

  /** Answers from a list of records, as a subnet administrator matches them. */
  private static final class FakeSa implements SaClient {
    final List<SaRecord<?, ?>> records = new ArrayList<>();
    final List<Integer> timeouts = new ArrayList<>(); // of all queries, in milliseconds
    ClassPortInfo info = new ClassPortInfo();

    @Override
    @SuppressWarnings("unchecked") // of the query's own class
    public <S extends SaRecord<S, ?>> CompletableFuture<List<S>> getTable(S query, int timeoutMs) {
      timeouts.add(timeoutMs);
      if (query instanceof ib.core.sa.ServiceRecord) {
        return CompletableFuture.failedFuture(new SaException("saquery", 0x0200));
      }
      return CompletableFuture.completedFuture(
          records.stream()
              .filter(r -> r.getClass() == query.getClass() && ((S) r).matches(query))
              .map(r -> (S) r)
              .toList());
    }

    @Override
    public CompletableFuture<ClassPortInfo> classPortInfo() {
      return CompletableFuture.completedFuture(info);
    }

    @Override
    @SuppressWarnings("unchecked") // of the query's own class
    public <S extends SaRecord<S, ?>> CompletableFuture<S> get(S query, int timeoutMs) {
      assertEquals(ClassPortInfo.class, query.getClass(), "saquery asks for tables else");
      timeouts.add(timeoutMs);
      return CompletableFuture.completedFuture((S) info);
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<S> set(S record, int timeoutMs) {
      throw new AssertionError("saquery changes nothing");
    }

    @Override
    public <S extends SaRecord<S, ?>> CompletableFuture<S> delete(S record, int timeoutMs) {
      throw new AssertionError("saquery changes nothing");
    }

    @Override
    public IbDevice device() {
      throw new AssertionError();
    }

    @Override
    public int port() {
      return 1;
    }

    @Override
    public boolean reachable() {
      return true;
    }

    @Override
    public SaSubscription subscribe(int trapNumber, Consumer<Notice> reports) {
      throw new AssertionError("saquery subscribes to nothing");
    }

    @Override
    public SaMulticast multicast() {
      throw new AssertionError("saquery joins nothing");
    }

    @Override
    public void close() {}
  }

  private static String run(SaClient sa, String line) {
    return Saquery.run(sa, Saquery.parse(line.split(" ")));
  }

  private static void node(List<SaRecord<?, ?>> to, int lid, long guid, String name) {
    to.add(
        new NodeRecord()
            .set(NodeRecord.Field.LID, lid)
            .set(NodeRecord.Field.BASE_VERSION, 1)
            .set(NodeRecord.Field.CLASS_VERSION, 1)
            .set(NodeRecord.Field.NODE_TYPE, 1)
            .set(NodeRecord.Field.NUM_PORTS, 2)
            .set(NodeRecord.Field.SYSTEM_IMAGE_GUID, guid)
            .set(NodeRecord.Field.NODE_GUID, guid)
            .set(NodeRecord.Field.PORT_GUID, guid + 1)
            .set(NodeRecord.Field.PARTITION_CAP, 0x40)
            .set(NodeRecord.Field.REVISION, 0xa1)
            .set(NodeRecord.Field.LOCAL_PORT_NUM, 1)
            .set(NodeRecord.Field.NODE_DESCRIPTION, name));
  }

  private static PathRecord path(String sgid, String dgid, int slid, int dlid, int mtu) {
    return new PathRecord()
        .set(PathRecord.Field.SGID, Gid.parse(sgid))
        .set(PathRecord.Field.DGID, Gid.parse(dgid))
        .set(PathRecord.Field.SLID, slid)
        .set(PathRecord.Field.DLID, dlid)
        .set(PathRecord.Field.REVERSIBLE, 1)
        .set(PathRecord.Field.PKEY, 0xffff)
        .set(PathRecord.Field.MTU_SELECTOR, 2)
        .set(PathRecord.Field.MTU, mtu)
        .set(PathRecord.Field.RATE_SELECTOR, 2)
        .set(PathRecord.Field.RATE, 3)
        .set(PathRecord.Field.PACKET_LIFE_TIME_SELECTOR, 2)
        .set(PathRecord.Field.PACKET_LIFE_TIME, 18);
  }

  private static PortInfoRecord port(int lid) {
    GoldenNet net = new GoldenNet();
    try {
      MemorySegment info = net.get(new Route.Lid(lid), SmpAttribute.PORT_INFO, 1);
      return new PortInfoRecord()
          .set(PortInfoRecord.Field.PORT_INFO, info.toArray(ValueLayout.JAVA_BYTE))
          .set(PortInfoRecord.Field.LID, lid)
          .set(PortInfoRecord.Field.PORT_NUM, 1);
    } catch (NoAnswerException e) {
      throw new AssertionError(e);
    }
  }

  private void fill() {
    node(sa.records, 1, 0x100000, "Hca1");
    node(sa.records, 4, 0x100003, "Hca2");
    sa.records.add(path("fe80::10:1", "fe80::20:0", 1, 2, 3));
    sa.records.add(path("fe80::10:4", "fe80::10:1", 4, 1, 4));
    sa.records.add(
        new McMemberRecord()
            .set(McMemberRecord.Field.MGID, BROADCAST)
            .set(McMemberRecord.Field.QKEY, 0xb1b)
            .set(McMemberRecord.Field.MLID, 0xc000)
            .set(McMemberRecord.Field.MTU_SELECTOR, 2)
            .set(McMemberRecord.Field.MTU, 4)
            .set(McMemberRecord.Field.PKEY, 0xffff)
            .set(McMemberRecord.Field.RATE_SELECTOR, 2)
            .set(McMemberRecord.Field.RATE, 3)
            .set(McMemberRecord.Field.PACKET_LIFE_TIME_SELECTOR, 2)
            .set(McMemberRecord.Field.PACKET_LIFE_TIME, 18)
            .set(McMemberRecord.Field.SCOPE, 2));
    sa.records.add(port(1));
    sa.records.add(port(4));
    sa.records.add(
        new SmInfoRecord()
            .set(SmInfoRecord.Field.LID, 1)
            .set(SmInfoRecord.Field.GUID, 0x100001)
            .set(SmInfoRecord.Field.ACT_COUNT, 116)
            .set(SmInfoRecord.Field.SM_STATE, 3));
    int[][] links = {
      {1, 1, 1, 2}, {2, 1, 1, 1}, {2, 2, 1, 5}, {2, 3, 3, 3}, {2, 5, 5, 3}, {3, 1, 1, 4},
      {3, 2, 1, 6}, {3, 3, 3, 2}, {3, 5, 5, 2}, {4, 1, 1, 3}, {5, 1, 2, 2}, {6, 1, 2, 3}
    };
    for (int[] l : links) {
      sa.records.add(
          new LinkRecord()
              .set(LinkRecord.Field.FROM_LID, l[0])
              .set(LinkRecord.Field.FROM_PORT, l[1])
              .set(LinkRecord.Field.TO_PORT, l[2])
              .set(LinkRecord.Field.TO_LID, l[3]));
    }
    table(2, 255, 1, 0, 3, 3, 2, 5);
    table(3, 255, 3, 3, 0, 1, 5, 2);
    tables(sa.records);
    sa.info =
        new ClassPortInfo()
            .set(ClassPortInfo.Field.BASE_VERSION, 1)
            .set(ClassPortInfo.Field.CLASS_VERSION, 2)
            .set(ClassPortInfo.Field.CAPABILITY_MASK, 0x2602)
            .set(ClassPortInfo.Field.CAPABILITY_MASK2, 0xb5e8)
            .set(ClassPortInfo.Field.RESP_TIME_VALUE, 0x10)
            .set(ClassPortInfo.Field.REDIRECT_QPN, 1)
            .set(ClassPortInfo.Field.REDIRECT_QKEY, 0x80010000L)
            .set(ClassPortInfo.Field.TRAP_QKEY, 0x80010000L);
  }

  private static void tables(List<SaRecord<?, ?>> to) {
    for (int lid : new int[] {1, 2, 4}) {
      byte[] guids = new byte[64];
      guids[5] = 0x10;
      guids[7] = (byte) lid;
      for (int block = 0; block < 2; block++) {
        to.add(
            new GuidInfoRecord()
                .set(GuidInfoRecord.Field.LID, lid)
                .set(GuidInfoRecord.Field.BLOCK_NUM, block)
                .set(GuidInfoRecord.Field.GUIDS, block == 0 ? guids : new byte[64]));
        to.add(
            new VlArbitrationRecord()
                .set(VlArbitrationRecord.Field.LID, lid)
                .set(VlArbitrationRecord.Field.OUTPUT_PORT_NUM, 1)
                .set(VlArbitrationRecord.Field.BLOCK_NUM, block));
        to.add(
            new SlToVlRecord()
                .set(SlToVlRecord.Field.LID, lid)
                .set(SlToVlRecord.Field.OUTPUT_PORT_NUM, block));
      }
    }
    byte[] info = HexFormat.of().parseHex("7800000004000006" + "0000009000000040" + "30000000");
    to.add(
        new SwitchInfoRecord()
            .set(SwitchInfoRecord.Field.LID, 2)
            .set(SwitchInfoRecord.Field.SWITCH_INFO, info));
    to.add(path("fe80::10:1", "fe80::10:4", 1, 4, 4));
  }

  private void table(int lid, int... ports) {
    byte[] lft = new byte[64];
    Arrays.fill(lft, (byte) 255);
    for (int i = 0; i < ports.length; i++) {
      lft[i] = (byte) ports[i];
    }
    sa.records.add(new LftRecord().set(LftRecord.Field.LID, lid).set(LftRecord.Field.LFT, lft));
  }

  @ParameterizedTest
  @CsvSource({
    "NR 4, saquery_NR_4",
    "4, saquery_NR_4",
    "Hca2, saquery_NR_4",
    "0x100004, saquery_NR_4",
    "PR --src-to-dst 1:2, saquery_PR_1_2",
    "PR --src-to-dst Hca1:2, saquery_PR_1_2",
    "PR --sgid-to-dgid fe80::10:4-fe80::10:1, saquery_PR_gids",
    "LR, saquery_LR",
    "-x, saquery_LR",
    "SMIR, saquery_SMIR",
    "-s, saquery_s",
    "-c, saquery_c",
    "CPI, saquery_c",
    "-g, saquery_g",
    "-m, saquery_m",
    "MCMR, saquery_MCMR",
    "PIR 4, saquery_PIR_4",
    "LFTR, saquery_LFTR",
    "LFTR 2/0, saquery_LFTR_2_0",
    "GIR 1, saquery_GIR_1",
    "SWIR 2, saquery_SWIR_2",
    "VLAR 1/1/1, saquery_VLAR_1_1_1",
    "SL2VL 1/0/0, saquery_SL2VL_1_0_0",
    "LR 1 2, saquery_LR_1_2",
    "-x 1 2, saquery_LR_1_2",
    "LR 2/3, saquery_LR_2_3",
    "-m 0xc000, saquery_m_0xc000",
    "MCMR --mlid 0xc000, saquery_MCMR_mlid",
    "PR --slid 1 --dlid 4, saquery_PR_lids",
  })
  @DisplayName("recorded from infiniband-diags 44 with OpenSM 3.3.23 on ibsim")
  void recorded(String line, String golden) {
    fill();
    assertEquals(Golden.of("diags/" + golden).stripTrailing(), run(sa, line).stripTrailing());
  }

  @Test
  @DisplayName("recorded from infiniband-diags 44, which queried the built-in subnet manager")
  void builtIn() {
    byte[] pkeys = {(byte) 0xff, (byte) 0xff};
    sa.records.add(
        new PkeyTableRecord()
            .set(PkeyTableRecord.Field.LID, 1)
            .set(PkeyTableRecord.Field.PORT_NUM, 1)
            .set(PkeyTableRecord.Field.PKEY_TABLE, pkeys));
    byte[] masks = {0, 0, 0, 0, 0, 0, 0, 0x0a};
    sa.records.add(new MftRecord().set(MftRecord.Field.LID, 49151).set(MftRecord.Field.MFT, masks));
    assertEquals(Golden.of("diags/saquery_PKTR_1_1_0"), run(sa, "PKTR 1/1/0") + "\n");
    assertEquals(Golden.of("diags/saquery_MFTR"), run(sa, "MFTR 49151/0/0") + "\n");
  }

  @Test
  @DisplayName("-L, -G and -O turn names and LIDs into one another")
  void names() {
    fill();
    assertEquals("4", run(sa, "-L Hca2"));
    assertEquals("0x0000000000100001", run(sa, "-G Hca1"));
    assertEquals("Hca1", run(sa, "-O 1"));
    assertEquals(
        "   LID \"name\"\n================\n     1  \"Hca1\"\n     4  \"Hca2\"", run(sa, "-D"));
  }

  @Test
  @DisplayName("a refusal by the subnet administrator is printed with its status")
  void refused() {
    CommandException e = assertThrows(CommandException.class, () -> run(sa, "SR"));
    assertTrue(e.getMessage().contains("0x0200"), e.getMessage());
    assertThrows(CommandException.class, () -> run(sa, "PR --src-to-dst 1"));
    assertThrows(CommandException.class, () -> run(sa, "PR --src-to-dst nobody:2"));
    assertThrows(CommandException.class, () -> run(sa, "PR --sgid-to-dgid x-y"));
  }

  @ParameterizedTest
  @CsvSource({
    "-t 250 NR 4, 250",
    "--timeout=7000 PR --src-to-dst Hca1:2, 7000",
    "-t 250 -m, 250",
    "-t 250 -c, 250",
    "NR 4, 3000",
    "-c, 3000"
  })
  @DisplayName("issue 11, section 2: -t is the time for each query; without it that of SaClient")
  void timeout(String line, int expected) {
    fill();
    run(sa, line);
    assertEquals(Set.of(expected), Set.copyOf(sa.timeouts));
  }
}
