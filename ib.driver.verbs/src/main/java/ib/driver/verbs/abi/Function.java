package ib.driver.verbs.abi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A C function, called with 64-bit words: callees of both LP64 calling conventions take the low
 * half of a word for an {@code int}. The forms without a {@link Frame} are for the data path: they
 * allocate nothing, and errno is not kept. A caller passes only addresses of live memory.
 */
public final class Function {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
  private static final MethodHandle DATA2 = Linker.nativeLinker().downcallHandle(shape(2));
  private static final MethodHandle DATA3 = Linker.nativeLinker().downcallHandle(shape(3));

  private final String name;
  final MemorySegment address;

  /**
   * Names a function.
   *
   * @param name its name, for errors
   * @param address where it is
   */
  public Function(String name, MemorySegment address) {
    this.name = name;
    this.address = address;
  }

  static FunctionDescriptor shape(int words) {
    ValueLayout[] arguments = new ValueLayout[words];
    java.util.Arrays.fill(arguments, WORD);
    return FunctionDescriptor.of(WORD, arguments);
  }

  /** {@return the name in C} */
  public String name() {
    return name;
  }

  /** {@return the int that the function returns} */
  public int data(long a, long b) {
    try {
      return (int) (long) DATA2.invokeExact(address, a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@return the int that the function returns} */
  public int data(long a, long b, long c) {
    try {
      return (int) (long) DATA3.invokeExact(address, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static IllegalStateException unexpected(Throwable e) {
    return new IllegalStateException("a C function cannot throw", e);
  }

  @Override
  public String toString() {
    return name;
  }
}
