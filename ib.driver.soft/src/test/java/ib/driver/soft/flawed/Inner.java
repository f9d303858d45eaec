package ib.driver.soft.flawed;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls what a driver's object offers to the core only. */
final class Inner {
  private Inner() {}

  @SuppressWarnings("TypeParameterUnusedInFormals")
  static <T> T call(Object inner, String method, Object... arguments) {
    for (Class<?> c = inner.getClass(); c != null; c = c.getSuperclass()) {
      for (Method m : c.getDeclaredMethods()) {
        if (m.getName().equals(method) && m.getParameterCount() == arguments.length) {
          return invoke(m, inner, arguments);
        }
      }
    }
    throw new AssertionError("no method " + method + " in " + inner.getClass());
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T> T invoke(Method m, Object inner, Object[] arguments) {
    try {
      m.setAccessible(true);
      return (T) m.invoke(inner, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
