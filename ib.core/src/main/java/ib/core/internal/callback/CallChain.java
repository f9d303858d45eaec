package ib.core.internal.callback;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the driver's method below a callback (S20): a frame of a driver's class that is a verbs
 * object, a device or a device's operations, in a method that the interface to drivers declares. A
 * driver may call a handler from any other method, on a thread of the driver (S22).
 */
final class CallChain {
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final List<Class<?>> API =
      List.of(
          IbObject.class,
          ProtectionDomain.class,
          CompletionQueue.class,
          QueuePair.class,
          SharedReceiveQueue.class,
          MemoryRegion.class,
          MemoryWindow.class,
          AddressHandle.class,
          IbDevice.class,
          DriverDevice.class,
          DeviceOps.class);
  private static final Set<String> VERBS = verbs();

  private CallChain() {}

  private static Set<String> verbs() {
    Set<String> verbs = new HashSet<>();
    for (Class<?> c : API) {
      for (Method m : c.getDeclaredMethods()) {
        boolean overridable =
            !Modifier.isFinal(m.getModifiers()) && !Modifier.isStatic(m.getModifiers());
        if (overridable && !m.isSynthetic()) {
          verbs.add(signature(m.getName(), Arrays.asList(m.getParameterTypes())));
        }
      }
    }
    return Set.copyOf(verbs);
  }

  private static String signature(String name, List<Class<?>> parameters) {
    return name + parameters;
  }

  /** {@return the driver's verb that the calling thread is inside, as text, or null} */
  static @Nullable String verbBelow() {
    return WALKER
        .walk(
            frames ->
                frames
                    .filter(CallChain::isVerb)
                    .map(f -> f.toStackTraceElement().toString())
                    .findFirst())
        .orElse(null);
  }

  private static boolean isVerb(StackFrame frame) {
    Class<?> c = frame.getDeclaringClass();
    boolean driver =
        IbObject.class.isAssignableFrom(c)
            || IbDevice.class.isAssignableFrom(c)
            || DeviceOps.class.isAssignableFrom(c);
    return driver
        && !isCore(c)
        && VERBS.contains(signature(frame.getMethodName(), frame.getMethodType().parameterList()));
  }

  private static boolean isCore(Class<?> c) {
    String p = c.getPackageName();
    return p.equals("ib.core.verbs") || p.equals("ib.core.spi") || p.startsWith("ib.core.internal");
  }
}
