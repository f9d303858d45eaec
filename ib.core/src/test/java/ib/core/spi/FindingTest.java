package ib.core.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.QpDiagnosis.Finding;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("ib:why: what the status of a failed request says, on each device alike")
class FindingTest {
  private static final QpAttr ATTR = new QpAttr().destQpn(0xabc).rnrRetry(3);

  private static Finding of(WcStatus status) {
    return Finding.of(status, ATTR, "more");
  }

  @Test
  @DisplayName("each status has a sentence of its own, and something to try")
  void sentences() {
    Map<String, WcStatus> seen = new HashMap<>();
    for (WcStatus status : WcStatus.values()) {
      Finding found = of(status);
      assertFalse(found.tries().isEmpty(), status.toString());
      WcStatus same = seen.put(found.likely(), status);
      assertEquals(null, same, status + " and " + same + " say: " + found.likely());
    }
  }

  @Test
  @DisplayName("the numbers of the queue pair are in it, and what the device has to show more")
  void numbers() {
    assertTrue(of(WcStatus.RNR_RETRY_EXC_ERR).likely().endsWith("for longer than 3 retries"));
    assertEquals(List.of("on the peer: ib:why 0x000abc"), of(WcStatus.REM_OP_ERR).tries());
    assertEquals("more", of(WcStatus.FATAL_ERR).tries().getLast());
    assertEquals("more", of(WcStatus.RETRY_EXC_ERR).tries().getLast());
    assertTrue(Finding.notUp(QpState.INIT).likely().contains("in INIT nothing is sent"));
  }

  @Test
  @DisplayName("a finding keeps its list")
  void immutable() {
    List<String> tries = new ArrayList<>(List.of("one"));
    Finding found = new Finding("likely", tries);
    tries.clear();
    assertEquals(List.of("one"), found.tries());
    assertThrows(UnsupportedOperationException.class, () -> found.tries().clear());
  }
}
