package ib.core.internal.osgi;

import ib.core.client.LocalServices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.event.EventHandler;

/** Finds event handlers that have not returned to an EventAdmin, by the stacks of all threads. */
final class Culprits {
  private static final String METHOD = "handleEvent";
  private static final String FELIX_CALLER = ".EventHandlerProxy";
  private static final int FRAMES = 12;

  private final BundleContext context;

  Culprits(BundleContext context) {
    this.context = context;
  }

  /** {@return the handlers that are running, with their bundles and stacks} */
  String text() {
    List<String> found = new ArrayList<>();
    List<Bundle> bundles = subscribers();
    for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
      StackTraceElement[] stack = e.getValue();
      for (int i = 0; i < stack.length; i++) {
        if (isHandler(stack, i)) {
          found.add(text(e.getKey(), stack[i].getClassName(), stack, bundles));
          break; // the innermost handler is the one that does not return
        }
      }
    }
    return found.isEmpty()
        ? "no handler is running now, the subscribers are of " + bundles
        : String.join("; ", found);
  }

  private static boolean isHandler(StackTraceElement[] stack, int i) {
    // a handler that is a lambda shows its body only, called by the EventAdmin
    return stack[i].getMethodName().equals(METHOD)
        || (i + 1 < stack.length && stack[i + 1].getClassName().endsWith(FELIX_CALLER));
  }

  private static String text(
      Thread thread, String type, StackTraceElement[] stack, List<Bundle> bundles) {
    List<String> frames =
        Arrays.stream(stack).limit(FRAMES).map(StackTraceElement::toString).toList();
    return "handler "
        + type
        + " of "
        + owner(type, bundles)
        + " does not return, thread "
        + thread.getName()
        + " at "
        + String.join(" < ", frames);
  }

  /** A class that runs is loaded: asking its bundle for it loads nothing. */
  private static String owner(String handler, List<Bundle> bundles) {
    String type = handler.replaceFirst("\\$\\$Lambda.*", ""); // a hidden class is found by its host
    for (Bundle bundle : bundles) {
      try {
        if (bundle.equals(FrameworkUtil.getBundle(bundle.loadClass(type)))) {
          return bundle.toString();
        }
      } catch (ClassNotFoundException e) {
        continue; // another bundle's
      }
    }
    return "an unknown bundle";
  }

  private List<Bundle> subscribers() {
    try {
      ServiceReference<?>[] all =
          context.getAllServiceReferences(EventHandler.class.getName(), LocalServices.ONLY);
      return all == null
          ? List.of()
          : Arrays.stream(all).map(ServiceReference::getBundle).distinct().toList();
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e); // there is no filter
    }
  }
}
