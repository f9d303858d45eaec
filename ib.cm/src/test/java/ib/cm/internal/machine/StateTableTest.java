package ib.cm.internal.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What must hold for each row of the table, whatever else it does. */
class StateTableTest {
  private static final Set<Act> ENDS =
      EnumSet.range(Act.END_REJECTED, Act.END_REMOVED); // the declarations are next to each other

  private static boolean over(State state) {
    return state == State.TIMEWAIT || state == State.GONE;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("an end is heard when the connection gets to timewait or further, and only then")
  void ends(State state) {
    for (Input each : Input.values()) {
      StateTable.Row row = StateTable.IBA.row(state, each);
      if (row != null) {
        long ends = row.acts().stream().filter(ENDS::contains).count();
        assertEquals(!over(state) && over(row.next()) ? 1 : 0, ends, state + " " + each);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("names are freed on the way to GONE, and timewait begins on the way to TIMEWAIT")
  void frees(State state) {
    for (Input each : Input.values()) {
      StateTable.Row row = StateTable.IBA.row(state, each);
      if (row != null) {
        List<Act> acts = row.acts();
        assertEquals(row.next() == State.GONE, acts.contains(Act.FREE), state + " " + each);
        boolean begins = row.next() == State.TIMEWAIT && state != State.TIMEWAIT;
        assertEquals(begins, acts.contains(Act.WAIT), state + " " + each);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("each state can be closed and removed, and where a message waits its timer acts")
  void leaves(State state) {
    if (state == State.GONE || state == State.IDLE) {
      assertNull(StateTable.IBA.row(state, Input.CLOSE));
      return;
    }
    assertNotNull(StateTable.IBA.row(state, Input.REMOVE));
    boolean ending = state == State.DREQ_SENT || state == State.TIMEWAIT;
    assertEquals(ending, StateTable.IBA.row(state, Input.CLOSE) == null);
    boolean waits =
        switch (state) {
          case REQ_SENT, MRA_REQ_RCVD, REP_SENT, MRA_REP_RCVD, DREQ_SENT -> true;
          default -> false;
        };
    assertEquals(waits, StateTable.IBA.row(state, Input.AGAIN) != null);
    assertEquals(waits || state == State.TIMEWAIT, StateTable.IBA.row(state, Input.LAST) != null);
  }
}
