package ib.core.testing;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import javax.management.JMException;
import javax.management.ObjectName;

/** The live objects of this JVM by class, after a collection. */
public record HeapHistogram(Map<String, Size> classes) {
  private static final Size NONE = new Size(0, 0);

  /** Objects and their bytes. */
  public record Size(long objects, long bytes) {
    /** {@return what this has more} */
    public Size minus(Size other) {
      return new Size(objects - other.objects, bytes - other.bytes);
    }

    /** {@return both} */
    public Size plus(Size other) {
      return new Size(objects + other.objects, bytes + other.bytes);
    }

    /** {@return what one of many has, rounded: a few objects of the JVM itself come and go} */
    public Size each(int n) {
      return new Size(Math.round((double) objects / n), Math.round((double) bytes / n));
    }
  }

  /** {@return what is there now} */
  public static HeapHistogram now() {
    String text;
    try {
      text =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
    Map<String, Size> all = new TreeMap<>();
    for (String line : text.lines().toList()) {
      String[] words = line.trim().split("\\s+");
      if (words.length >= 4 && words[0].endsWith(":")) {
        Size size = new Size(Long.parseLong(words[1]), Long.parseLong(words[2]));
        all.merge(words[3], size, Size::plus);
      }
    }
    return new HeapHistogram(all);
  }

  /**
   * Makes many of something; {@return what all have added to the heap}
   *
   * @param make takes -1 for one that is not counted, and loads classes; then 0 and so on
   */
  public static HeapHistogram added(int n, IntFunction<Object> make) {
    Object[] kept = new Object[n];
    Object first = make.apply(-1);
    HeapHistogram ballast = now(); // as large as the next one, which itself is on the heap later
    HeapHistogram before = now();
    Reference.reachabilityFence(ballast);
    ballast = null;
    for (int i = 0; i < n; i++) {
      kept[i] = make.apply(i);
    }
    HeapHistogram added = now().minus(before);
    Reference.reachabilityFence(first);
    Reference.reachabilityFence(kept);
    return added;
  }

  /** {@return what this has more, of the classes that this has} */
  public HeapHistogram minus(HeapHistogram other) {
    Map<String, Size> left = new TreeMap<>();
    classes.forEach((name, size) -> left.put(name, size.minus(other.of(name))));
    return new HeapHistogram(left);
  }

  /** {@return both} */
  public HeapHistogram plus(HeapHistogram other) {
    Map<String, Size> all = new TreeMap<>(classes);
    other.classes.forEach((name, size) -> all.merge(name, size, Size::plus));
    return new HeapHistogram(all);
  }

  /** {@return what one of many has, of the classes of which it has an object} */
  public HeapHistogram each(int n) {
    Map<String, Size> each = new TreeMap<>();
    classes.forEach((name, size) -> each.put(name, size.each(n)));
    each.values().removeIf(size -> size.objects == 0);
    return new HeapHistogram(each);
  }

  /** {@return what a class has} */
  public Size of(String name) {
    return classes.getOrDefault(name, NONE);
  }

  /** {@return what some classes have} */
  public Size sum(Predicate<String> counts) {
    Size sum = NONE;
    for (Map.Entry<String, Size> e : classes.entrySet()) {
      sum = counts.test(e.getKey()) ? sum.plus(e.getValue()) : sum;
    }
    return sum;
  }
}
