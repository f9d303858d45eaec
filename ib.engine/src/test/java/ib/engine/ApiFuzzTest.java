package ib.engine;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.sim.Plant;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.InvocationTargetException;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * 16 threads call anything on shared objects, in use or closed, while memory is short: {@code
 * -Dib.fuzz.api} says for how many seconds, {@code -Dib.fuzz.seed} with which seed.
 */
@Tag("finding")
class ApiFuzzTest {
  private static final int SECONDS = Integer.getInteger("ib.fuzz.api", 20);
  private static final int CANARY_SECONDS = 15;
  private static final int CANARY_SEEDS = 10; // a busy machine does little in a while
  private static final int LACK = 1_000;
  private static final long SEED = Long.getLong("ib.fuzz.seed", new SplittableRandom().nextLong());

  /** Where memory may be short: all that makes and runs objects. */
  private static final Pattern TARGETS =
      Pattern.compile(
          "ib\\.engine\\.(qp|direct|packet\\.\\w+|control|port|verbs|mr|ring)\\.[A-Z]\\w+");

  private static final ClassDesc THROWING = ClassDesc.of(Throwing.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.ofDescriptor("()V");

  private static boolean allocates(CodeElement e) {
    return e instanceof NewObjectInstruction
        || e instanceof NewPrimitiveArrayInstruction
        || e instanceof NewReferenceArrayInstruction;
  }

  private static Plant plant(boolean claimsLost) {
    CodeTransform lack =
        (builder, element) -> {
          if (allocates(element)) {
            builder.invokestatic(THROWING, "allocate", NOTHING);
          }
          if (claimsLost
              && element instanceof InvokeInstruction i
              && i.name().equalsString("caught")) {
            builder.athrow(); // as if no handler had caught it
          } else {
            builder.with(element);
          }
        };
    return new Plant(
        n -> TARGETS.matcher(n).matches() && !n.endsWith("Probe"),
        ClassTransform.transformingMethodBodies(m -> m.code().isPresent(), lack));
  }

  private static String run(Plant plant, long seed, int seconds, int lack) throws Throwable {
    try {
      return (String)
          plant
              .loadClass(ApiFuzzWorld.class.getName())
              .getMethod("run", long.class, int.class, int.class)
              .invoke(null, seed, seconds, lack);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  @DisplayName("A16: no call lasts longer than 5 s, nothing is left, every claim is free")
  void fuzz(TestReporter reporter) throws Throwable {
    reporter.publishEntry("seed", "" + SEED);
    reporter.publishEntry("fuzz", run(plant(false), SEED, SECONDS, LACK));
  }

  @Test
  @DisplayName("A16 canary: a claim that is not given back is noticed, within ten seeds")
  void canary(TestReporter reporter) throws Throwable {
    String found = null;
    for (int i = 0; found == null && i < CANARY_SEEDS; i++) {
      try {
        run(plant(true), SEED + i, CANARY_SECONDS, LACK);
      } catch (AssertionError | RuntimeException e) { // the latter when it is found at the end
        found = e.getMessage();
      }
    }
    assertNotNull(found);
    reporter.publishEntry("found", found);
    // a wait for the claim ends with an error or, in a fence that may end quietly, takes too long
    assertTrue(found.contains("claim") || found.contains(" took "), found);
  }
}
