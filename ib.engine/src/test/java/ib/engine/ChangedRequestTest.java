package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.verbs.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName(
    "S6, A16: a request whose opcode a thread changes after it was checked fails, and ends")
class ChangedRequestTest {

  static Stream<Arguments> all() {
    List<Arguments> all = new ArrayList<>();
    for (QpType type : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      for (WrOpcode opcode : WrOpcode.values()) {
        all.add(Arguments.of(type, opcode));
      }
    }
    return all.stream();
  }

  /** On a thread of its own: what the engine must not do is loop for ever. */
  @ParameterizedTest
  @MethodSource("all")
  @Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void changed(QpType type, WrOpcode opcode) throws Exception {
    try (Rig rig = Rig.two().connect(type)) {
      Rig.Side a = rig.a();
      boolean executed = Probe.executes(a.qp, opcode);
      Probe.postChanged(a.qp, opcode);
      assertTrue(Probe.allFree(a.hca), "the claim is held");
      if (!executed) {
        assertEquals(WcStatus.LOC_QP_OP_ERR, await(a).status());
      } else if (type == QpType.UD && opcode == WrOpcode.LSO) {
        assertEquals(WcStatus.LOC_PROT_ERR, await(a).status());
      }
      a.qp.modify(new QpAttr().state(QpState.RESET));
      assertEquals(QpState.RESET, a.qp.state());
    }
  }

  private static WorkCompletion await(Rig.Side s) {
    WorkCompletion[] wc = {new WorkCompletion()};
    assertEquals(1, s.sendCq.poll(wc, 1)); // executed by the thread that posted it
    return wc[0];
  }
}
