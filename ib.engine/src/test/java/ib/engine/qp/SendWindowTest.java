package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The window of a wire that segments")
class SendWindowTest {
  private final SendWindow window = new SendWindow(128) {};

  @Test
  @DisplayName("is halved by a loss down to 16, opens by 4 for each window acknowledged, up to all")
  void sizes() {
    assertEquals(128, window.windowSize());
    int[] halves = {64, 32, 16, 16};
    for (int half : halves) {
      window.lost(7, false);
      assertEquals(half, window.windowSize());
    }
    window.acknowledged(15);
    assertEquals(16, window.windowSize());
    window.acknowledged(1);
    assertEquals(20, window.windowSize());
    for (int i = 0; i < 200; i++) {
      window.acknowledged(64);
    }
    assertEquals(128, window.windowSize());
    window.lost(7, true);
    window.openWindow();
    assertEquals(128, window.windowSize());
  }

  @Test
  @DisplayName("is never larger than what was configured, however small that is")
  void small() {
    SendWindow two = new SendWindow(2) {};
    two.lost(7, true);
    assertEquals(2, two.windowSize());
  }

  @Test
  @DisplayName(
      "IBA A17.9.3: a congested way halves it, once for all notices until a window of packets is"
          + " acknowledged; what waits for a repetition stays")
  void congestion() {
    window.congested();
    assertEquals(64, window.windowSize());
    window.congested();
    assertEquals(64, window.windowSize(), "of the same congestion");
    window.acknowledged(64);
    assertEquals(68, window.windowSize());
    window.congested();
    assertEquals(68, window.windowSize(), "64 of 68 are acknowledged");
    window.acknowledged(4);
    window.congested();
    assertEquals(34, window.windowSize());
    window.lost(7, true);
    window.acknowledged(40);
    window.congested();
    assertTrue(window.again(7));
  }

  @Test
  @DisplayName("what the peer misses is doubled once, not for the first loss and not for a timeout")
  void doubles() {
    window.lost(7, true);
    assertFalse(window.again(7), "the first");
    window.lost(8, true);
    assertFalse(window.again(7), "another packet");
    assertTrue(window.again(8));
    assertFalse(window.again(8), "once");
    window.lost(9, true);
    window.lost(9, false);
    assertFalse(window.again(9), "the timer");
  }
}
