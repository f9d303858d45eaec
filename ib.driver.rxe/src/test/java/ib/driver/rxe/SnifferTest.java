package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B3: the packet socket of the tests completes a packet as a network card does")
final class SnifferTest {
  /** An acknowledgement over IPv6 that Linux has sent, whose checksum comes out as zero. */
  private static final String ACK =
      "60200000001c1140000000000000000000000000000000010000000000000000000000000000000112b712b7"
          + "001c00001140ffff00ced79700fffff21f000001bd7d1330";

  @Test
  @DisplayName("B3: a checksum of zero is sent as ffff (RFC 768): zero would say \"not summed\"")
  void zeroChecksum() {
    List<byte[]> packets = new ArrayList<>();
    Sniffer.cut(HexFormat.of().parseHex(ACK), 1040, packets);
    assertEquals(
        List.of(ACK.substring(0, 92) + "ffff" + ACK.substring(96)),
        packets.stream().map(HexFormat.of()::formatHex).toList());
  }
}
