package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** IBA 9.7.5.1.9: the results of atomics that a responder keeps for duplicates. */
class ResponderResourcesTest {
  private static final int PSN = 0xfffffe; // of the rig
  private static final int RESOURCES = 4; // of the rig

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))
          .connect(QpType.RC);
  private final Rig.Side b = rig.b();
  private final Forge forge = new Forge(rig, b, rig.a());
  private int executed;

  @AfterEach
  void close() {
    rig.close();
  }

  private void add(int number) {
    Packet p = forge.packet(BthOpcode.RC_FETCH_ADD, PSN + number, 0);
    p.swapAdd = 1;
    forge.arrive(p);
  }

  private void execute(int atomics) {
    for (int i = 0; i < atomics; i++) {
      add(executed++);
    }
    assertEquals(atomics, forge.answers.size());
  }

  private void resources(int most) {
    b.qp.modify(new QpAttr().state(QpState.SQD));
    b.qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(most));
  }

  /** Asks again for all, the newest last: so many of these have their results still. */
  private void kept(int most) {
    forge.answers.clear();
    for (int i = 0; i < executed; i++) {
      add(i);
      assertEquals(Math.max(0, i + 1 - (executed - most)), forge.answers.size(), "number " + i);
    }
    assertEquals(executed - most, b.hca.counters(1).get("drop_duplicate"));
    assertEquals(executed, b.mr.segment().get(ValueLayout.JAVA_LONG, 0), "each was executed once");
  }

  @ParameterizedTest
  @ValueSource(ints = {RESOURCES - 1, RESOURCES, RESOURCES + 1, 2 * RESOURCES + 3})
  @DisplayName("as many of the newest results are kept as atomics may be under way")
  void newest(int atomics) {
    execute(atomics);
    kept(Math.min(atomics, RESOURCES));
  }

  @ParameterizedTest
  @CsvSource({"4, 4", "8, 4", "2, 2", "1, 1"})
  @DisplayName("the newest results stay when the number of resources changes")
  void changed(int resources, int most) {
    execute(RESOURCES + 1);
    resources(resources);
    kept(most);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  @DisplayName("after a change the oldest result makes place for a new one")
  void changedThenMore(int resources) {
    execute(RESOURCES + 1);
    resources(resources);
    forge.answers.clear();
    execute(2);
    kept(Math.min(resources, RESOURCES + 2));
  }
}
