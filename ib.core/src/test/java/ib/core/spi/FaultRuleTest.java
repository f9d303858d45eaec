package ib.core.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 3, section 2: the text form of a fault rule")
class FaultRuleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "loss",
        "loss rate=0.05",
        "corrupt rate=0.01 dir=in",
        "reorder rate=0.1 delay=2ms packets=64",
        "delay dir=both peer=3 delay=20us jitter=80us",
        "loss opcode=0x11 qp=0x12ab34 skip=2 count=1",
        "partition port=2 peer=3",
        "duplicate psn=0xfffff0-0x000010 delay=7s",
        "silent rate=0.5 delay=1001ns",
      })
  @DisplayName("what is written reads back as the same rule")
  void roundTrip(String text) {
    FaultRule rule = FaultRule.parse(text);
    assertEquals(text, rule.toString());
    assertEquals(rule, FaultRule.parse(rule.toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "lose | 'lose' is not loss, duplicate, reorder, delay, corrupt, silent or partition",
        "loss 0.1 | '0.1' is not key=value",
        "loss rate=2 | rate is 2.0, it must be 0 to 1",
        "loss rate=NaN | rate is NaN, it must be 0 to 1",
        "loss rate=x | rate is 'x', it must be 0 to 1, or 0% to 100%",
        "loss rate=% | rate is '%', it must be 0 to 1, or 0% to 100%",
        "loss rate=101% | rate is 1.01, it must be 0 to 1",
        "loss dir=up | dir is 'up', it must be out, in or both",
        "loss opcode=256 | opcode is 256, it must be -1 to 255",
        "loss qp=0x1000000 | qp is 16777216, it must be -1 to 16777215",
        "loss peer=-1 | peer is '-1', it must be a number",
        "delay delay=5m | delay is '5m', it must be a number with ns, us, ms or s",
        "delay delay=99999s | delay is 99999, it must be 0 to 3600",
        "loss psn=1- | psn is '1-', it must be first or first-last",
        "loss psn=0xffffff1 | psn is '0xffffff1', it must be first or first-last",
        "reorder packets=0 | packets is 0, it must be 1 to 256",
      })
  @DisplayName("a wrong word is named, with what is allowed")
  void refused(String text, String message) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> FaultRule.parse(text));
    assertEquals(message, e.getMessage());
  }

  @Test
  @DisplayName("U6: a rate may be in per cent")
  void percent() {
    assertEquals(FaultRule.parse("loss rate=0.05"), FaultRule.parse("loss rate=5%"));
    assertEquals(FaultRule.parse("loss"), FaultRule.parse("loss rate=100%"));
  }

  @Test
  @DisplayName("IBA 9.7.1: a range of sequence numbers goes through the wrap")
  void psnRange() {
    FaultRule rule = FaultRule.parse("loss psn=0xfffffe-1");
    assertTrue(rule.hasPsn(0xfffffe));
    assertTrue(rule.hasPsn(0));
    assertTrue(rule.hasPsn(1));
    assertFalse(rule.hasPsn(2));
    assertFalse(rule.hasPsn(0xfffffd));
    assertTrue(FaultRule.parse("loss").hasPsn(77));
  }
}
