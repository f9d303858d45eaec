package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
    "the size of a receive buffer is compared with the outstanding packets of a connection")
class ReceiveRoomTest {
  @Test
  @DisplayName("a buffer smaller than the window is reported, with what to do about it")
  void shortfall() {
    assertEquals(Optional.empty(), ReceiveRoom.shortfall("rxe0", 128 * 4096, 128));
    String text = ReceiveRoom.shortfall("rxe0", 212_992, 128).orElseThrow();
    assertTrue(text.contains("rxe0") && text.contains("212992"), text);
    assertTrue(text.contains("net.core.rmem_max=524288"), text);
    assertEquals(Optional.empty(), ReceiveRoom.shortfall("rxe0", 212_992, 52));
  }

  @Test
  @DisplayName("the system grants a buffer, and not much more than requested")
  void given() throws IOException {
    int given = ReceiveRoom.given(65_536);
    assertTrue(given > 0 && given <= 2 * 65_536, given + " bytes");
  }
}
