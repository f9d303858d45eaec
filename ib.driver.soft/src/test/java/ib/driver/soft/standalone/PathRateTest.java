package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.sa.PathRecord;
import ib.core.sa.PathRecord.Field;
import ib.core.sa.SaClient;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("findings B4: the rate of a path is that of its slower link")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PathRateTest {
  private static final int TIMEOUT_MS = 600_000;
  private static final int GREATER_THAN = 0;

  @ParameterizedTest
  @CsvSource({
    "2xHDR, 2xHDR, 16, 15", // 100 Gb/s, more than 25
    "4xQDR, 1xFDR, 11, 3", // 14 Gb/s: a greater code than that of 40; more than 10
    "1xQDR, 4xEDR, 3, 5", // 10 Gb/s, more than 5
    "4xXDR, 4xXDR, 23, 21", // 800 Gb/s, more than 400
    "4xXDR, 2xXDR, 21, 17",
    "1xSDR, 4xEDR, 2, -1"
  })
  void rate(String one, String other, int rate, int less, @TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("two.net");
    Files.writeString(
        file,
        """
        Switch 4 "S-0000000000000a01" # "middle"
        [1] "H-0000000000000b01"[1] # "soft0" lid 1 %1$s
        [2] "H-0000000000000c01"[1] # "soft1" lid 2 %2$s

        Hca 1 "H-0000000000000b01" # "soft0"
        [1] "S-0000000000000a01"[1] # lid 1 lmc 0 "middle" lid 3 %1$s

        Hca 1 "H-0000000000000c01" # "soft1"
        [1] "S-0000000000000a01"[2] # lid 2 lmc 0 "middle" lid 3 %2$s
        """
            .formatted(one, other));
    try (SoftFabric fabric = SoftFabric.options().devices("soft0", "soft1").topology(file).open();
        SaClient sa = SaClient.open(fabric.device("soft0"), 1)) {
      PathRecord query =
          new PathRecord()
              .set(Field.SGID, fabric.device("soft0").gid(1, 0))
              .set(Field.DGID, fabric.device("soft1").gid(1, 0))
              .set(Field.NUMB_PATH, 1);
      if (less > 0) {
        query.set(Field.RATE_SELECTOR, GREATER_THAN).set(Field.RATE, less);
      }
      assertEquals(rate, sa.get(query, TIMEOUT_MS).join().value(Field.RATE));
    }
  }
}
