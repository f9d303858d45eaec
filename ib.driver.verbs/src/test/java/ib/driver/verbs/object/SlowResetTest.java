package ib.driver.verbs.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpState;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Function;
import ib.driver.verbs.abi.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("FLUSH-005: a kernel that refuses RESET while the send queue drains is asked again")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SlowResetTest {
  private static final Libc LIBC = new Libc();

  private final Arena arena = Arena.ofShared();
  private Function modify;
  private int refusals; // the first calls, with EINVAL
  private int then; // what the later ones return
  private int calls;

  /** {@code ibv_modify_qp} of a library that is none. */
  @SuppressWarnings("UnusedMethod") // by its handle
  private int modifyQp() {
    return calls++ < refusals ? Libc.EINVAL : then;
  }

  @BeforeEach
  void make() throws ReflectiveOperationException {
    ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
    MethodHandle call =
        MethodHandles.dropArguments(
            MethodHandles.lookup().bind(this, "modifyQp", MethodType.methodType(int.class)),
            0,
            List.of(long.class, long.class, long.class));
    FunctionDescriptor shape = FunctionDescriptor.of(ValueLayout.JAVA_INT, word, word, word);
    modify = new Function("ibv_modify_qp", Linker.nativeLinker().upcallStub(call, shape, arena));
  }

  @AfterEach
  void close() {
    arena.close();
  }

  private void move(QpState from, QpState to) {
    try (Frame frame = new Frame()) {
      SlowReset.check(
          errno -> Failures.of(LIBC, errno, "verbs0.modifyQp"),
          from,
          to,
          () -> frame.check(modify, 1, 2, 3));
    }
  }

  @Test
  @DisplayName("twice refused, then reset")
  void again() {
    refusals = 2; // the third call comes whatever the clock says
    move(QpState.SQD, QpState.RESET);
    assertEquals(3, calls);
  }

  @Test
  @DisplayName("always refused: the refusal says that the send queue still drains")
  void always() {
    refusals = Integer.MAX_VALUE;
    IbException e = assertThrows(IbAgainException.class, () -> move(QpState.SQD, QpState.RESET));
    String said = e.getMessage();
    assertTrue(said.startsWith("verbs0.modifyQp: the send queue still drains"), said);
    assertTrue(said.contains("errno 22") && said.contains("ERR before RESET"), said);
    assertTrue(calls >= 3, calls + " calls");
  }

  @Test
  @DisplayName("a device that goes meanwhile ends the asking: the refusal is its own")
  void gone() {
    refusals = 1;
    then = Libc.EIO;
    assertThrows(IbDisassociatedException.class, () -> move(QpState.SQD, QpState.RESET));
    assertEquals(2, calls);
  }

  @Test
  @DisplayName("another move or another error number: the kernel is asked once")
  void once() {
    refusals = 1;
    assertThrows(IbInvalidException.class, () -> move(QpState.RTS, QpState.RESET));
    assertEquals(1, calls);
    calls = 0;
    assertThrows(IbInvalidException.class, () -> move(QpState.SQD, QpState.RTS));
    assertEquals(1, calls);
    calls = 1;
    then = Libc.EIO;
    assertThrows(IbDisassociatedException.class, () -> move(QpState.SQD, QpState.RESET));
    assertEquals(2, calls);
    then = 0;
    move(QpState.SQD, QpState.RESET);
    assertEquals(3, calls);
  }
}
