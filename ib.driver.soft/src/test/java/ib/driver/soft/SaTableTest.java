package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.sa.LftRecord;
import ib.core.sa.NodeRecord;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("M7, section 4.5: tables of the built-in subnet administrator longer than a datagram")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SaTableTest {
  private static final int TIMEOUT_MS = 600_000;

  @Test
  @DisplayName("M7 records that need several segments come whole: nodes, paths, forwarding tables")
  void tables() {
    try (Lab lab = new Lab("a", "b", "c", "d");
        SaClient sa = SaClient.open(lab.lease("a"), 1)) {
      List<NodeRecord> nodes = sa.getTable(new NodeRecord(), TIMEOUT_MS).join();
      Set<String> names =
          nodes.stream()
              .map(r -> r.text(NodeRecord.Field.NODE_DESCRIPTION))
              .collect(Collectors.toSet());
      assertTrue(names.containsAll(Set.of("a", "b", "c", "d")), names.toString());
      assertEquals(names.size(), nodes.size());
      // each of the ends to each
      int ends = nodes.size();
      List<PathRecord> paths = sa.getTable(new PathRecord(), TIMEOUT_MS).join();
      assertEquals(ends * ends, paths.size());
      // 768 blocks of 64 LIDs up to the switch's own, 0xBFFF
      List<LftRecord> tables = sa.getTable(new LftRecord(), TIMEOUT_MS).join();
      assertEquals(
          tables.size(),
          tables.stream().map(r -> r.value(LftRecord.Field.BLOCK_NUM)).distinct().count());
      assertTrue(tables.size() > 64, tables.size() + " blocks, more than a window holds");
    }
  }
}
