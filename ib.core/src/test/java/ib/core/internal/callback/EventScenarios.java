package ib.core.internal.callback;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Scenario;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import java.util.ArrayList;
import java.util.List;

/** Scenarios of the events of one object. */
public final class EventScenarios {
  private EventScenarios() {}

  /** Two threads raise while the object is published and its vector runs. */
  public static final class RaiseAndOpen implements Scenario {
    private final CompletionVector vector = TaskScenarios.vector();
    private final List<Long> heard = new ArrayList<>();
    private final ObjectEvents events =
        new ObjectEvents(new Contract(false), vector, EventMirror.NONE);

    @Override
    public void setUp() {
      vector.start();
      Interleavings.spawn(
          "a",
          false,
          () -> {
            events.raise(event(1));
            events.raise(event(2));
          });
      Interleavings.spawn("b", false, () -> events.raise(event(10)));
      Interleavings.spawn(
          "core", false, () -> events.open((e, context) -> heard.add(e.timeNs()), null));
    }

    private static IbEvent event(long number) {
      return new IbEvent(null, EventType.SQ_DRAINED, null, 0, 0, number);
    }

    @Override
    public void check() {
      if (heard.size() != 3 || heard.indexOf(1L) > heard.indexOf(2L)) {
        throw new AssertionError("S45: raised 1, 2 and 10, heard " + heard);
      }
    }
  }
}
