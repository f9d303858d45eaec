package ib.verifier.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ib.core.client.Violation;
import ib.verifier.bundles.Clients;
import ib.verifier.bundles.Handlers;
import ib.verifier.bundles.Locks;
import ib.verifier.bundles.Notifiers;
import ib.verifier.bundles.Services;
import ib.verifier.bundles.Shared;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Bundle;
import org.slf4j.LoggerFactory;

@DisplayName("issue 15: each rule is reported once by its bad bundle, and never by a clean one")
class CanaryTest {
  private static final int RUNS = 20;
  private static final String HUGE = "ib.verifier.bundles.Huge";
  @TempDir Path storage;

  /** What is bad, the clause, what the report names, and where. */
  static Stream<Arguments> bad() {
    return Stream.of(
        Arguments.of(Handlers.Sleeps.class, "S26", "java.lang.Thread.sleep", "complete"),
        Arguments.of(
            Handlers.Takes.class, "S26", "java.util.concurrent.BlockingQueue.take", "complete"),
        Arguments.of(
            Handlers.Refers.class,
            "S26",
            "java.util.concurrent.BlockingQueue.take",
            "complete$reference$0"),
        Arguments.of(
            Handlers.Locks.class, "S26", "java.util.concurrent.locks.Lock.lock", "complete"),
        Arguments.of(Handlers.Enters.class, "S26", "synchronized", "complete"),
        Arguments.of(Handlers.Synchronized.class, "S26", "synchronized", "wake"),
        Arguments.of(Notifiers.Waits.class, "S2-S9", "java.lang.Thread.sleep", "notifyCompletion"));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("V1, V2: a call that may block where no call may block is named, with its place")
  @MethodSource
  void bad(Class<?> subject, String clause, String call, String method) throws Exception {
    try (Lab lab = new Lab(storage)) {
      Bundle verifier = lab.startVerifier();
      List<Violation> found = lab.violations();
      for (int run = 1; run <= RUNS; run++) {
        Bundle bundle = lab.start(subject);
        lab.callback(lab.subject(bundle));
        lab.callback(lab.subject(bundle)); // the same place again
        bundle.uninstall();
        assertEquals(run, found.size(), found::toString);
        verifier.stop();
        verifier.start();
      }
      Violation v = found.getLast();
      assertEquals(clause, v.clause());
      assertEquals("canary." + subject.getSimpleName(), v.culprit());
      assertTrue(v.text().startsWith(call + " may block"), v.text());
      assertTrue(!v.instead().isEmpty(), v.instead());
      String place = subject.getName() + "." + method + "(";
      assertTrue(v.stack().getFirst().contains(place), v.stack()::toString);
    }
  }

  static Stream<Arguments> outside() {
    String crossed = Locks.Crossed.class.getName() + ".";
    return Stream.of(
        Arguments.of(
            Locks.Crossed.class,
            "S30",
            "takes " + crossed + "first while it holds " + crossed + "second, and elsewhere",
            "Locks$Crossed.otherWay("),
        Arguments.of(
            Locks.AcrossFence.class,
            "S30",
            "takes callback CompletionQueue of canary.AcrossFence while it holds "
                + Locks.AcrossFence.class.getName()
                + ".state, and elsewhere",
            "Locks$AcrossFence.close("),
        Arguments.of(
            Locks.LambdaAcrossFence.class,
            "S30",
            "takes callback CompletionQueue of canary.LambdaAcrossFence while it holds "
                + Locks.LambdaAcrossFence.class.getName()
                + ".state, and elsewhere",
            "Locks$AcrossFence.close("),
        Arguments.of(
            Locks.OfList.class,
            "S30",
            "takes lock of " + Locks.OfList.class.getName() + ".run:",
            "Locks$OfList.both("),
        underLock(Services.DeviceUnderLock.class, "DriverDevice"),
        underLock(Services.DeviceAwayUnderLock.class, "DriverDevice"),
        underLock(Services.ClientUnderLock.class, "IbClient"),
        underLock(Services.ClientAwayUnderLock.class, "IbClient"),
        Arguments.of(
            Shared.ByTwo.class,
            "S16",
            "ib.verifier.bundles.Shared$Page.write was called on an object while thread ",
            "Shared$ByTwo."),
        Arguments.of(
            Clients.LeavesThread.class,
            "S32",
            "thread left, which it made in add, is alive",
            "Clients$LeavesThread.child("),
        Arguments.of(
            Clients.LeavesTimer.class,
            "S32",
            "timer java.util.Timer, which it made in add, is alive",
            "Clients$LeavesTimer.add("),
        Arguments.of(
            Clients.LeavesPool.class,
            "S32",
            "executor java.util.concurrent.",
            "Clients$LeavesPool.add("));
  }

  private static Arguments underLock(Class<?> subject, String callback) {
    String canary = subject.getSimpleName();
    String lock = subject.getSuperclass().getName();
    String text = "takes callback %s of canary.%s while it holds %s.state, and elsewhere the order";
    String place = "Services$" + canary + ".run(";
    return Arguments.of(subject, "S30", text.formatted(callback, canary, lock), place);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("V3, V4, V5: lock order, objects for one thread, threads left behind")
  @MethodSource
  void outside(Class<?> subject, String clause, String text, String place) throws Exception {
    try (Lab lab = new Lab(storage)) {
      Bundle verifier = lab.startVerifier();
      List<Violation> found = lab.violations();
      for (int run = 1; run <= RUNS; run++) {
        Bundle bundle = lab.start(subject);
        lab.subject(bundle).run();
        bundle.uninstall();
        assertEquals(run, found.size(), found::toString);
        verifier.stop();
        verifier.start();
      }
      Violation v = found.getLast();
      assertEquals(clause, v.clause());
      assertEquals("canary." + subject.getSimpleName(), v.culprit());
      assertTrue(v.text().startsWith(text), v.text());
      assertTrue(!v.instead().isEmpty(), v.instead());
      assertTrue(v.report().lines().anyMatch(l -> l.contains(place)), v::report);
    }
  }

  @ParameterizedTest
  @DisplayName("V1 to V5: what is done well is not reported, nor what blocks where it may")
  @MethodSource
  void clean(Class<?> subject, boolean callback) throws Exception {
    try (Lab lab = new Lab(storage)) {
      lab.startVerifier();
      for (int run = 0; run < RUNS; run++) {
        Bundle bundle = lab.start(subject);
        Runnable body = lab.subject(bundle);
        if (callback) {
          lab.callback(body);
        } else {
          body.run();
        }
        bundle.uninstall();
      }
      assertEquals(List.of(), lab.violations());
    }
  }

  static Stream<Arguments> clean() {
    return Stream.of(
        Arguments.of(Handlers.Tries.class, true),
        Arguments.of(Handlers.HandsOver.class, true),
        Arguments.of(Handlers.Sleeps.class, false),
        Arguments.of(Handlers.Locks.class, false),
        Arguments.of(Notifiers.Fails.class, false),
        Arguments.of(Locks.Ordered.class, false),
        Arguments.of(Locks.BeforeFence.class, false),
        Arguments.of(Services.OtherUnderLock.class, false),
        Arguments.of(Shared.InTurn.class, false),
        Arguments.of(Clients.CleansUp.class, false));
  }

  /** A class that sleeps, and has no space for a probe: a method has at most 65,535 bytes. */
  private static byte[] huge() {
    return ClassFile.of()
        .build(
            ClassDesc.of(HUGE),
            type ->
                type.withFlags(ClassFile.ACC_PUBLIC)
                    .withInterfaceSymbols(ClassDesc.of("java.lang.Runnable"))
                    .withMethodBody(
                        "<init>",
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_PUBLIC,
                        code ->
                            code.aload(0)
                                .invokespecial(
                                    ConstantDescs.CD_Object, "<init>", ConstantDescs.MTD_void)
                                .return_())
                    .withMethodBody(
                        "run", ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, CanaryTest::sleeps));
  }

  private static void sleeps(CodeBuilder code) {
    IntStream.range(0, 65_530).forEach(i -> code.nop());
    code.lconst_0()
        .invokestatic(
            ClassDesc.of("java.lang.Thread"),
            "sleep",
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long))
        .return_();
  }

  @Test
  @DisplayName("bad input: a class that cannot be woven is named, loaded as it is, and counted")
  void unwoven() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger("ib.verifier");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    logger.addAppender(lines);
    lines.start();
    try (Lab lab = new Lab(storage)) {
      Bundle verifier = lab.startVerifier();
      Bundle bundle = lab.start(HUGE, huge());
      lab.callback(lab.subject(bundle));
      assertEquals(List.of(), lab.violations());
      List<String> texts = lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
      assertTrue(
          texts.stream().anyMatch(s -> s.startsWith(HUGE + " of canary.Huge")), texts::toString);
      assertTrue(lab.totals(verifier).contains(" 1 could not be woven"), lab.totals(verifier));
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  @DisplayName("without the verifier, and after its stop, a bad bundle runs as it is")
  void off() throws Exception {
    try (Lab lab = new Lab(storage)) {
      Bundle before = lab.start(Handlers.Sleeps.class);
      lab.callback(lab.subject(before));
      Bundle verifier = lab.startVerifier();
      lab.callback(lab.subject(before)); // its classes are loaded already
      assertEquals(List.of(), lab.violations());
      Bundle woven = lab.start(Handlers.Locks.class);
      verifier.stop();
      IntStream.range(0, 2).forEach(i -> lab.callback(lab.subject(woven)));
      assertEquals(List.of(), lab.violations());
      verifier.start();
      lab.callback(lab.subject(woven));
      assertEquals(1, lab.violations().size());
    }
  }
}
