package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.QpState;
import ib.engine.OneQueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D4: an exception that ends a step of a queue pair")
class QpCrashTest {
  private static final String COUNTER = "steps_crashed";

  private static final Consumer<EventType> CANNOT =
      type -> {
        throw new OutOfMemoryError("planted");
      };

  private final Throwable first = new IllegalStateException("first");
  private final Throwable second = new IllegalStateException("second");

  /** The events that the queue pair raises from now on. */
  private static List<EventType> hear(QpCore qp) {
    List<EventType> told = new ArrayList<>();
    qp.verbs = consumer(qp, told::add);
    return told;
  }

  private static QpConsumer consumer(QpCore qp, Consumer<EventType> events) {
    ObjectControl control = qp.verbs.control();
    return new QpConsumer() {
      @Override
      public void tell(EventType type) {
        events.accept(type);
      }

      @Override
      public ObjectControl control() {
        return control;
      }
    };
  }

  @Test
  @DisplayName(
      "the first one moves the queue pair to ERR, is counted and kept, and raises QP_FATAL")
  void once() {
    try (OneQueuePair one = new OneQueuePair(true)) {
      QpCore qp = one.qp;
      List<EventType> told = hear(qp);

      assertTrue(qp.control.caught(first), "another step is to follow");
      assertTrue(qp.control.isPending());
      assertFalse(qp.control.isFinal());
      assertEquals(QpState.RTS, qp.state, "the next step makes an error of it");

      qp.control.begin(qp.runList);
      assertEquals(QpState.ERR, qp.state);
      assertEquals("an exception inside the engine", qp.history.cause());
      assertSame(first, qp.history.crash());
      assertFalse(qp.control.isPending());
      assertEquals(1, one.count(COUNTER));

      qp.control.begin(qp.runList);
      assertEquals(List.of(EventType.QP_FATAL), told);
      assertEquals(1, one.count(COUNTER));
    }
  }

  @Test
  @DisplayName("after the second one nothing of it is run, until it is forgiven")
  void twice() {
    try (OneQueuePair one = new OneQueuePair(true)) {
      QpCore qp = one.qp;
      List<EventType> told = hear(qp);

      assertTrue(qp.control.caught(first));
      qp.control.begin(qp.runList);
      assertTrue(qp.control.caught(second), "a step that discards is to follow");
      assertTrue(qp.control.isFinal());
      qp.control.begin(qp.runList);
      assertEquals(List.of(EventType.QP_FATAL), told, "it was in ERR already");
      assertSame(first, qp.history.crash(), "the first one is kept");
      assertFalse(qp.control.caught(second), "no step after a third");
      assertTrue(qp.control.isFinal());

      qp.control.forgive();
      assertFalse(qp.control.isFinal());
      assertFalse(qp.control.isPending());
    }
  }

  @Test
  @DisplayName("an event that cannot be raised is counted, and raised by the next step, once")
  void untold() {
    try (OneQueuePair one = new OneQueuePair(true)) {
      QpCore qp = one.qp;
      qp.verbs = consumer(qp, CANNOT);
      qp.control.caught(first);
      qp.control.begin(qp.runList);
      assertEquals(QpState.ERR, qp.state);
      assertEquals(2, one.count(COUNTER), "the step and the event");
      assertSame(first, qp.history.crash(), "the first one is kept");

      List<EventType> told = hear(qp);
      qp.control.begin(qp.runList);
      qp.control.begin(qp.runList);
      assertEquals(List.of(EventType.QP_FATAL), told);
    }
  }

  @Test
  @DisplayName("one in RESET is kept, and changes no state and raises no event")
  void inReset() {
    try (OneQueuePair one = new OneQueuePair(false)) {
      QpCore qp = one.qp;
      List<EventType> told = hear(qp);
      assertNull(qp.history.crash());

      qp.control.caught(first);
      qp.control.begin(qp.runList);
      assertEquals(QpState.RESET, qp.state);
      assertSame(first, qp.history.crash());
      assertEquals(List.of(), told);
    }
  }

  @Test
  @DisplayName("one of a queue pair that is destroyed changes no state and raises no event")
  void buried() {
    try (OneQueuePair one = new OneQueuePair(true)) {
      QpCore qp = one.qp;
      List<EventType> told = hear(qp);
      qp.bury();

      qp.control.caught(first);
      qp.control.begin(qp.runList);
      assertEquals(QpState.RTS, qp.state);
      assertEquals(List.of(), told);
    }
  }
}
