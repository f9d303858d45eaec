package ib.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.sim.Plant;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A16: a claimed slot is published whatever is thrown while it is filled. */
class FilledTest {
  private static final Set<String> FILLING = Set.of("add", "copy", "keys", "begin", "datagram");

  /** Plants a place for an exception before each call in the methods that fill a slot. */
  private static Method planted() throws ReflectiveOperationException {
    ClassDesc throwing = ClassDesc.of(Throwing.class.getName());
    MethodTypeDesc nothing = MethodTypeDesc.ofDescriptor("()V");
    ClassTransform calls =
        ClassTransform.transformingMethodBodies(
            FilledTest::fills,
            (builder, element) -> {
              if (element instanceof InvokeInstruction) {
                builder.invokestatic(throwing, "point", nothing);
              }
              builder.with(element);
            });
    return new Plant("ib.engine.ring.SendSlots"::equals, calls)
        .loadClass(FilledScenario.class.getName())
        .getMethod("run", boolean.class, long.class);
  }

  private static boolean fills(MethodModel m) {
    return m.code().isPresent() && FILLING.contains(m.methodName().stringValue());
  }

  @ParameterizedTest(name = "in the list form: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("A16, B20: a request whose slot could not be filled fails; none waits behind it")
  @Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void filled(boolean list) throws ReflectiveOperationException {
    Method run = planted();
    long calls = (long) run.invoke(null, list, 0L);
    assertTrue(calls >= 2, calls + " calls");
    for (long n = 1; n <= calls; n++) {
      run.invoke(null, list, n);
    }
  }
}
