package ib.driver.verbs.abi;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * Calls of the control path by one thread: memory for their arguments, which is freed at the end,
 * and errno of the last call.
 */
public final class Frame implements AutoCloseable {
  private static final int MAX_TEXT = 256;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle CALL1 = call(1);
  private static final MethodHandle CALL2 = call(2);
  private static final MethodHandle CALL3 = call(3);
  private static final MethodHandle CALL4 = call(4);
  private static final MethodHandle CALL5 = call(5);
  private static final MethodHandle CALL6 = call(6);

  private final Arena arena;

  /** Where errno of a call is kept. */
  final MemorySegment state;

  /** Creates the frame. */
  public Frame() {
    arena = Arena.ofConfined();
    state = arena.allocate(STATE);
  }

  private static MethodHandle call(int words) {
    return Linker.nativeLinker()
        .downcallHandle(Function.shape(words), Linker.Option.captureCallState("errno"));
  }

  /**
   * Allocates memory, which is zero and lives as long as the frame.
   *
   * @param bytes how many
   * @return the memory, aligned to 8 bytes
   */
  public MemorySegment zeros(long bytes) {
    return arena.allocate(bytes, Long.BYTES);
  }

  /**
   * Calls a function.
   *
   * @param function which
   * @param words 1 to 6 arguments
   * @return what it returns, of which an int is the low half
   */
  public long call(Function function, long... words) {
    MemorySegment f = function.address;
    try {
      return switch (words.length) {
        case 1 -> (long) CALL1.invokeExact(f, state, words[0]);
        case 2 -> (long) CALL2.invokeExact(f, state, words[0], words[1]);
        case 3 -> (long) CALL3.invokeExact(f, state, words[0], words[1], words[2]);
        case 4 -> (long) CALL4.invokeExact(f, state, words[0], words[1], words[2], words[3]);
        case 5 ->
            (long) CALL5.invokeExact(f, state, words[0], words[1], words[2], words[3], words[4]);
        case 6 ->
            (long)
                CALL6.invokeExact(
                    f, state, words[0], words[1], words[2], words[3], words[4], words[5]);
        default -> throw new IllegalArgumentException(words.length + " arguments");
      };
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Throwable e) {
      throw Function.unexpected(e);
    }
  }

  /**
   * Calls a function that returns 0, or an error number, or a negative number and sets errno.
   *
   * @param function which
   * @param words 1 to 6 arguments
   * @return 0 or the error number
   */
  public int check(Function function, long... words) {
    int result = (int) call(function, words);
    return result < 0 ? errno() : result;
  }

  /** {@return errno of the last call, which has failed} */
  public int errno() {
    return (int) ERRNO.get(state, 0L);
  }

  /**
   * Reads memory that C owns.
   *
   * @param address where, not 0
   * @param bytes size of the structure there
   * @return the memory
   */
  public static MemorySegment at(long address, long bytes) {
    if (address == 0) {
      throw new IllegalArgumentException("the C library gave no structure");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /**
   * Reads text of C.
   *
   * @param from memory that has it
   * @param offset where it begins
   * @param most bytes of the field
   * @return the text up to its end or that of the field
   */
  public static String text(MemorySegment from, long offset, int most) {
    byte[] bytes = new byte[most];
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, bytes, 0, most);
    int n = 0;
    while (n < most && bytes[n] != 0) {
      n++;
    }
    return new String(bytes, 0, n, StandardCharsets.UTF_8);
  }

  /** {@return the text that the system has for an error number} */
  public String text(Libc libc, int errno) {
    long address = call(libc.strerror, errno);
    return address == 0
        ? "error " + errno
        : MemorySegment.ofAddress(address).reinterpret(MAX_TEXT).getString(0);
  }

  @Override
  public void close() {
    arena.close();
  }
}
