package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.Violation;
import ib.core.spi.ContractReports;
import ib.core.verbs.IbContractException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@DisplayName("S26, S29: what may be called in an atomic section")
class ContractTest {
  private final Contract contract = new Contract(true);

  @AfterEach
  void outside() {
    assertFalse(Contract.inAtomic());
  }

  private static void inside(Runnable body) {
    Contract.enterAtomic();
    try {
      body.run();
    } finally {
      Contract.exitAtomic();
    }
  }

  private List<String> clauses() {
    return contract.violations().stream().map(Violation::clause).toList();
  }

  @Test
  @DisplayName("S26: atomic sections nest")
  void nests() {
    inside(
        () -> {
          inside(() -> assertTrue(Contract.inAtomic()));
          assertTrue(Contract.inAtomic());
        });
  }

  @Test
  @DisplayName("one name for one party: the bundle's, whichever of its parts a check knows")
  void oneNameForOneParty() {
    contract.know("ulp", "org.example.ulp");
    contract.know("driver 1.2", "org.example.driver");
    contract.report("S32", "ulp", "left QP 17 behind", List.of());
    contract.report("S24", "driver 1.2", "twice at once", List.of());
    contract.report("S26", "org.example.ulp", "slept", List.of());
    contract.report("S26", "stranger", "slept", List.of());
    assertEquals(
        List.of(
            "S32 org.example.ulp: left QP 17 behind (ulp)",
            "S24 org.example.driver: twice at once (driver 1.2)",
            "S26 org.example.ulp: slept",
            "S26 stranger: slept"),
        contract.violations().stream().map(Violation::headline).toList());
  }

  @Test
  @DisplayName("the names that reports know take a bounded space")
  void namesAreBounded() {
    for (int i = 0; i < 5_000; i++) {
      contract.know("ulp" + i, "org.example.ulp");
    }
    contract.report("S26", "ulp0", "slept", List.of());
    contract.report("S26", "ulp9", "slept", List.of());
    assertEquals(
        List.of("ulp0", "org.example.ulp"),
        contract.violations().stream().map(Violation::culprit).toList());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("S29: a registration is refused there, checked or not, and allowed outside")
  void registration(boolean checking) {
    contract.checking(checking);
    contract.requireOutside("ulp", "core", "register");
    assertEquals(List.of(), clauses());
    inside(
        () -> {
          IbContractException e =
              assertThrows(
                  IbContractException.class,
                  () -> contract.requireOutside("ulp", "core", "register"));
          assertEquals("S29", e.clause());
        });
    assertEquals(List.of("S29"), clauses());
    assertEquals("ulp", contract.violations().getFirst().culprit());
  }

  @Test
  @DisplayName("S29: hot-plug is refused there while checking, else it is reported and goes on")
  void hotplug() {
    contract.tellInside("ulp", "core", "lease");
    inside(
        () ->
            assertThrows(
                IbContractException.class, () -> contract.tellInside("ulp", "core", "lease")));
    assertEquals(List.of("S26"), clauses());
    contract.checking(false);
    contract.tellInside("ulp", "core", "lease");
    assertEquals(List.of("S26"), clauses());
    inside(() -> contract.tellInside("ulp", "core", "lease"));
    assertEquals(List.of("S26", "S29"), clauses());
  }

  @Test
  @DisplayName("D2: a violation that another part has put together is recorded as it is")
  void ready() {
    Violation v = new Violation("S43", "ulp", "text", List.of("here"), List.of("there"));
    contract.report(v);
    assertEquals(List.of(v), contract.violations());
  }

  @Test
  @DisplayName("S26: a checker outside of the midlayer learns who is in an atomic section")
  void checkers() {
    ContractReports reports = contract;
    assertFalse(reports.inAtomicSection());
    inside(() -> assertTrue(reports.inAtomicSection()));
  }

  @Test
  @DisplayName("a violation is one event of Flight Recorder, with what to do instead")
  void recorded() throws Exception {
    Violation v = new Violation("S26", "ulp", "slept", "poll", List.of("here"), List.of("there"));
    Path file = Files.createTempFile("violation", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable("ib.Violation");
      recording.start();
      contract.report(v);
      contract.report(v);
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      assertEquals(1, events.size(), events::toString);
      RecordedEvent event = events.getFirst();
      assertEquals("S26", event.getString("clause"));
      assertEquals("ulp", event.getString("culprit"));
      assertEquals("slept", event.getString("what"));
      assertEquals("poll", event.getString("instead"));
      assertEquals("here", event.getString("stack"));
      assertEquals("there", event.getString("otherStack"));
    } finally {
      Files.delete(file);
    }
  }

  @Test
  @DisplayName("S26: a new contract checks when the property says so")
  void property() {
    assertEquals(Boolean.getBoolean(Contract.PROPERTY), Contract.fromProperty().checking());
  }

  @Test
  @DisplayName("A13: of exceptions of handlers the first ten are logged, then each power of two")
  void told() {
    Logger logger = (Logger) LoggerFactory.getLogger("ib.core.callback");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    logger.setAdditive(false);
    logger.addAppender(lines);
    lines.start();
    try {
      for (int i = 0; i < 40; i++) {
        contract.handlerThrew("planted", new IllegalStateException("planted"));
      }
    } finally {
      logger.detachAppender(lines);
      logger.setAdditive(true);
    }
    assertEquals(40, contract.handlerExceptions());
    assertEquals(
        List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 16L, 32L),
        lines.list.stream().map(line -> line.getArgumentArray()[1]).toList());
  }
}
