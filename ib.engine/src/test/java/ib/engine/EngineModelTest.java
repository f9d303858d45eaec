package ib.engine;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Interleavings;
import ib.core.testing.Interleavings.Result;
import ib.core.testing.Interleavings.Scenario;
import ib.core.testing.Weave;
import ib.core.testing.Weave.Kind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every schedule of the product's own code, with up to a number of preemptions. Stops are where
 * threads meet: claim, run list, packet lanes, packets, worker, keys.
 */
@Tag("finding")
@DisplayName("B6: worker, timers, tables and the whole engine, explored; planted bugs are found")
@Execution(ExecutionMode.CONCURRENT) // each steps its own threads by its own schedule
class EngineModelTest {
  private static final int MORE = Integer.getInteger("ib.engine.preemptions", 0);
  private static final Weave ALL = Weave.of("ib.engine.");
  private static final Weave MEETING =
      ALL.stoppingIn(
          "ClaimToken",
          "RunList",
          "PacketQueue",
          "PacketWait",
          "Packet",
          "Worker",
          "Key",
          "Copier");

  private static final Weave SLOTS =
      ALL.stoppingIn("ClaimToken", "RunList", "PacketQueue", "PacketWait", "SlotRing");

  private static final Weave WAY = ALL.stoppingIn("ClaimToken", "Epoch", "PortTables");

  private static Weave weave(String name) {
    if (name.startsWith("Element")) {
      return ALL.withArrays();
    }
    if (name.endsWith("BuilderAndList") || name.endsWith("Reset")) {
      return SLOTS;
    }
    return name.startsWith("EngineScenarios")
        ? MEETING
        : name.startsWith("Way") ? WAY : name.startsWith("Key") ? ALL.withArrays() : ALL;
  }

  private static Class<? extends Scenario> scenario(String name) throws ClassNotFoundException {
    String room =
        switch (name.substring(0, name.indexOf("Scenarios"))) {
          case "Worker" -> "run.";
          case "Cq" -> "cq.";
          case "Table", "Key", "Element" -> "mr.";
          default -> "";
        };
    return Class.forName("ib.engine." + room + name).asSubclass(Scenario.class);
  }

  @ParameterizedTest(name = "{0}, {1} preemptions")
  @CsvSource({
    "WorkerScenarios$Timers, 3",
    "CqScenarios$Notify, 2",
    "CqScenarios$Resize, 2",
    "CqScenarios$Solicited, 2",
    "CqScenarios$Fitting, 2",
    "CqScenarios$Moderated, 1",
    "CqScenarios$LatePoll, 2",
    "TableScenarios$Chain, 2",
    "TableScenarios$Growth, 2",
    "KeyScenarios$Reopen, 3",
    "KeyScenarios$Kept, 3",
    "KeyScenarios$Inline, 3",
    "KeyScenarios$Window, 3",
    "KeyScenarios$TwoOwners, 3",
    "ElementScenarios$Changed, 3",
    "EngineScenarios$TwoPosters, 2",
    "EngineScenarios$Reset, 2",
    "EngineScenarios$BuilderAndList, 2",
    "EngineScenarios$GivesUp, 2",
    "EngineScenarios$BothWays, 2",
    "WayScenarios$PkeyTaken, 2",
    "WayScenarios$Reconnected, 1",
    "EngineScenarios$Starvation, 2",
    "EngineScenarios$Destroy, 2",
    "EngineScenarios$Deregister, 2",
    "EngineScenarios$LocalInvalidate, 2",
    "EngineScenarios$LocalInvalidatePacket, 2",
    "EngineScenarios$RemoteInvalidate, 2",
    "EngineScenarios$Unbind, 2",
  })
  @DisplayName("D4, D5, B7, B20, R-08, F-15: no schedule breaks it")
  void everyInterleaving(String name, int preemptions) throws ClassNotFoundException {
    Weave weave = name.endsWith("Chain") ? ALL.withArrays() : weave(name);
    Result r = Interleavings.explore(scenario(name), preemptions + MORE, weave);
    assertNull(r.failure());
    assertTrue(r.schedules() > 20, "only " + r.schedules() + " schedules");
  }

  @ParameterizedTest(name = "{1}: {2} is {3}, seen by {0}")
  @CsvSource({
    "WorkerScenarios$Timers, run.Worker.start, wake, DROPPED",
    "WorkerScenarios$Timers, run.Worker.start, compareAndSet, TORN",
    "WorkerScenarios$Timers, run.Worker.timers, getAndSet, TORN",
    "CqScenarios$Notify, cq.SoftCq.push, fire, DROPPED",
    "CqScenarios$Notify, cq.CompletionRing.claim, getAndAdd, TORN",
    "CqScenarios$Resize, cq.CompletionRing.close, compareAndSet, TORN",
    "CqScenarios$Fitting, cq.SoftCq.countWaiting, isHead, TRUE",
    "CqScenarios$Solicited, cq.SoftCq.requestNotify, start, DROPPED",
    "CqScenarios$LatePoll, cq.Members.release, owns, TRUE",
    "CqScenarios$Moderated, cq.Moderation.due, start, DROPPED",
    "CqScenarios$Moderated, cq.Moderation.over, run, DROPPED",
    "KeyScenarios$Reopen, mr.Copier.into, live, TRUE",
    "KeyScenarios$Kept, mr.Copier.into, live, TRUE",
    "KeyScenarios$Inline, mr.InlineData.give, live, TRUE",
    "KeyScenarios$Window, mr.Copier.into, live, TRUE",
    "KeyScenarios$TwoOwners, mr.Key.begin, compareAndSet, TORN",
    "EngineScenarios$TwoPosters, run.ClaimToken.schedule, compareAndSet, TORN",
    "EngineScenarios$BuilderAndList, direct.DirectSends.express, isOldest, TRUE",
    "EngineScenarios$Reset, control.QpControl.reset, seal, DROPPED",
    "EngineScenarios$Reset, control.QpControl.reset, begin, DROPPED",
    "EngineScenarios$GivesUp, control.QpControl.giveUp, run, DROPPED",
    "EngineScenarios$BothWays, qp.QpCore.deliver, schedule, DROPPED",
    "EngineScenarios$Starvation, control.QpSteps.work, begin, DROPPED",
    "EngineScenarios$BothWays, direct.Join.leave, add, DROPPED",
    "WayScenarios$CountedFirst, link.PortTables.pkey, changed, DROPPED",
    "WayScenarios$Reconnected, direct.DirectPath.claim, holds, TRUE",
    "EngineScenarios$TwoPosters, run.ClaimToken.release, compareAndSet, TORN",
    "EngineScenarios$Deregister, verbs.SoftMr.withdraw, fence, DROPPED",
    "EngineScenarios$LocalInvalidate, mr.Mover.counted, enter, DROPPED",
    "EngineScenarios$LocalInvalidatePacket, mr.Copier.part, enter, DROPPED",
    "EngineScenarios$LocalInvalidate, packet.send.LocalWork.settled, settled, TRUE",
    "EngineScenarios$RemoteInvalidate, qp.Invalidation.settled, settled, TRUE",
    "EngineScenarios$Unbind, packet.send.LocalWork.settled, settled, TRUE",
  })
  @DisplayName("canaries: one step of the product's own code weakened")
  void canary(String name, String method, String call, Kind kind) throws ClassNotFoundException {
    Weave planted = weave(name).with("ib.engine." + method, call, kind);
    assertNotNull(Interleavings.explore(scenario(name), 2, planted).failure(), "not caught");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TableScenarios$CanarySlotUsedAgain", "ElementScenarios$CanaryReadTwice"})
  @DisplayName(
      "canaries: a slot of the table is given to another number while readers are about; a word of"
          + " a builder is read once for the check and again for the copy")
  void canary(String name) throws ClassNotFoundException {
    assertNotNull(Interleavings.explore(scenario(name), 2, weave(name)).failure(), "not caught");
  }
}
