package ib.driver.soft.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.mad.smp.PortInfo;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("findings B4: the rate of a link is width times speed")
class LinkSpeedTest {
  private static final int[] WIDTHS = {1, 16, 2, 4, 8}; // LinkWidthActive of 1X 2X 4X 8X 12X

  @ParameterizedTest
  @CsvSource({
    "SDR, 2 5 3 6 4",
    "DDR, 5 3 6 7 8",
    "QDR, 3 6 7 9 10",
    "FDR, 11 19 12 13 14",
    "EDR, 15 20 16 17 18",
    "HDR, 20 16 17 21 22",
    "NDR, 16 17 21 23 24",
    "XDR, 17 21 23 24 24" // ibv_rate has none above 1,200 Gbit/s
  })
  @DisplayName("1X, 2X, 4X, 8X and 12X of each speed have the codes of ibv_rate")
  void rates(LinkSpeed speed, String codes) {
    int[] expected = Arrays.stream(codes.split(" ")).mapToInt(Integer::parseInt).toArray();
    for (int i = 0; i < WIDTHS.length; i++) {
      MemorySegment info = MemorySegment.ofArray(new byte[64]);
      PortInfo.LINK_SPEED_ACTIVE.set(info, speed.classic);
      PortInfo.LINK_SPEED_EXT_ACTIVE.set(info, LinkSpeed.first(speed.extended));
      PortInfo.LINK_SPEED_EXT_ACTIVE_2.set(info, LinkSpeed.second(speed.extended));
      PortInfo.LINK_WIDTH_ACTIVE.set(info, WIDTHS[i]);
      assertEquals(expected[i], LinkSpeed.rate(info), speed + " of width code " + WIDTHS[i]);
    }
  }
}
