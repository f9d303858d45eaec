package ib.driver.soft.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("4.5.1 IBA 14.4.1: the states of a subnet manager")
final class SmStateTest {
  @Test
  @DisplayName("IBA 14.4.1: the transitions, as the specification has them, and no other")
  void table() {
    String standard =
        Stream.of(SmState.values())
            .flatMap(
                s ->
                    Stream.of(SmState.Signal.values())
                        .filter(i -> s.after(i) != null)
                        .map(i -> s + " " + i + " " + s.after(i)))
            .collect(Collectors.joining("\n", "", "\n"));
    assertEquals(
        """
        NOT_ACTIVE STANDBY STANDBY
        NOT_ACTIVE RECALLED DISCOVERING
        DISCOVERING HANDOVER DISCOVERING
        DISCOVERING ALONE MASTER
        DISCOVERING OUTRANKED STANDBY
        DISCOVERING YIELDED NOT_ACTIVE
        STANDBY HANDOVER MASTER
        STANDBY ACKNOWLEDGE STANDBY
        STANDBY DISABLE NOT_ACTIVE
        STANDBY DISCOVER DISCOVERING
        STANDBY LOST DISCOVERING
        STANDBY YIELDED NOT_ACTIVE
        MASTER HANDOVER MASTER
        MASTER ACKNOWLEDGE STANDBY
        MASTER DISCOVER DISCOVERING
        MASTER HANDED_OVER STANDBY
        MASTER YIELDED NOT_ACTIVE
        """,
        standard);
  }
}
