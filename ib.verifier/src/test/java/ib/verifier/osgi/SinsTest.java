package ib.verifier.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.spi.ContractReports;
import ib.verifier.check.Sin;
import ib.verifier.check.Verifier;
import ib.verifier.weave.BlockingRules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The probes are called as woven code calls them: a driver's method, and the midlayer below it. */
@DisplayName("findings C2: one sin has one culprit, the outermost frame that sinned")
class SinsTest implements ContractReports {
  private static final String REGISTER = "ib.core.spi.DriverRegistry.register";
  private final List<Violation> found = new ArrayList<>();
  private final Verifier verifier = new Verifier(() -> this, BlockingRules.standard());
  private boolean callback;

  @Override
  public boolean inAtomicSection() {
    return callback;
  }

  @Override
  public void report(Violation violation) {
    found.add(violation);
  }

  private List<String> accused() {
    return found.stream().map(v -> v.clause() + " " + v.culprit()).toList();
  }

  /** What the midlayer does for a registration, with waits and monitors in many places. */
  private boolean midlayer() {
    verifier.mightSleep("synchronized", "ib.core");
    deeper();
    verifier.enter("other.Driver.poll"); // a driver that the midlayer calls
    verifier.mightSleep("java.lang.Thread.sleep", "other");
    verifier.exit();
    return true;
  }

  private void deeper() {
    verifier.mightSleep("java.util.concurrent.locks.LockSupport.park", "ib.core");
    verifier.mayCallSleeping("ib.core.verbs.IbDevice.query", "ib.core");
  }

  private boolean register() {
    return Sin.registers(verifier, REGISTER, "bad") && midlayer();
  }

  @Test
  @DisplayName("S29: a driver that registers in poll is named, by that clause, and no other party")
  void registers() {
    verifier.enter("bad.Driver.poll");
    assertTrue(register());
    verifier.exit();
    assertEquals(List.of("S29 bad"), accused());
    assertTrue(found.getFirst().text().startsWith("ib.core.spi.DriverRegistry.register waits for"));
    assertTrue(found.getFirst().text().contains("in bad.Driver.poll, which any context may call"));
  }

  @Test
  @DisplayName("S26: what runs below a call that may block in a handler is a consequence of it")
  void handler() {
    callback = true;
    assertTrue(Sin.sleeps(verifier, "java.util.concurrent.Future.get", "bad") && midlayer());
    assertEquals(List.of("S26 bad"), accused());
  }

  @Test
  @DisplayName("two sins of one section, one after the other, are two")
  void twice() {
    verifier.enter("bad.Driver.poll");
    verifier.mightSleep("java.lang.Thread.sleep", "bad");
    verifier.mightSleep("java.lang.Thread.sleep", "bad");
    deeper();
    verifier.exit();
    assertEquals(List.of("S2-S9 bad", "S2-S9 bad", "S2-S9 ib.core", "S2-S9 ib.core"), accused());
  }

  @Test
  @DisplayName("S29: outside of a section and of a callback a registration is right")
  void outside() {
    assertTrue(Sin.registers(verifier, REGISTER, "good"));
    deeper();
    assertEquals(List.of(), found);
  }
}
