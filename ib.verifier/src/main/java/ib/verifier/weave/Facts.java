package ib.verifier.weave;

import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The content of a class file, as far as a rule needs it.
 *
 * @param name internal name
 * @param supertypes internal names of its superclass and interfaces
 * @param annotations descriptors of the annotations of the class
 * @param fields names of its fields
 * @param methods of each method, by name and descriptor, the descriptors of its annotations
 */
record Facts(
    String name,
    List<String> supertypes,
    Set<String> annotations,
    Set<String> fields,
    Map<String, Set<String>> methods) {
  /** Begins the names of the types of the midlayer. */
  static final String API = "ib/core/";

  private static final String ANY_CONTEXT = "Lib/core/verbs/AnyContext;";
  private static final String MAY_SLEEP = "Lib/core/verbs/MaySleep;";
  private static final String CALLBACK = "Lib/core/verbs/Callback;";
  private static final String FENCE = "Lib/core/verbs/Fence;";
  private static final String NOT_THREAD_SAFE = "Lib/core/verbs/NotThreadSafe;";
  private static final String CONSUMER = "Lorg/osgi/annotation/versioning/ConsumerType;";

  static Facts of(ClassModel model) {
    Map<String, Set<String>> methods = new HashMap<>();
    for (MethodModel m : model.methods()) {
      methods.put(key(m), annotations(m));
    }
    List<String> supertypes =
        Stream.concat(model.superclass().stream(), model.interfaces().stream())
            .map(ClassEntry::asInternalName)
            .toList();
    return new Facts(
        model.thisClass().asInternalName(),
        supertypes,
        annotations(model),
        model.fields().stream()
            .map(f -> f.fieldName().stringValue())
            .collect(Collectors.toUnmodifiableSet()),
        Map.copyOf(methods));
  }

  static String key(MethodModel m) {
    return m.methodName().stringValue() + m.methodType().stringValue();
  }

  // the annotations are not kept for run time, so they are those that reflection does not see
  private static Set<String> annotations(AttributedElement element) {
    return element
        .findAttribute(Attributes.runtimeInvisibleAnnotations())
        .map(
            a ->
                a.annotations().stream()
                    .map(annotation -> annotation.className().stringValue())
                    .collect(Collectors.toUnmodifiableSet()))
        .orElse(Set.of());
  }

  /** {@return whether any context may call the method, as far as this class says} */
  boolean anyContext(String method) {
    return says(method, ANY_CONTEXT);
  }

  /** {@return whether the method may sleep, as far as this class says} */
  boolean maySleep(String method) {
    return says(method, MAY_SLEEP) || says(method, FENCE);
  }

  /** {@return whether the method returns when nothing of what it ends runs any more} */
  boolean fence(String method) {
    return says(method, FENCE);
  }

  /** {@return whether the midlayer calls the method, as far as this class says} */
  boolean callback(String method) {
    return says(method, CALLBACK);
  }

  /** {@return whether clients or drivers implement this type of the midlayer, for it to call} */
  boolean implementedOutside() {
    return annotations.contains(CONSUMER);
  }

  /** {@return whether one thread at a time may call the method on one object} */
  boolean notThreadSafe(String method) {
    Set<String> own = methods.get(method);
    return own != null
        && !method.startsWith("<")
        && (own.contains(NOT_THREAD_SAFE) || annotations.contains(NOT_THREAD_SAFE));
  }

  /** {@return whether this is a type of the midlayer that declares a method} */
  boolean declares(String method) {
    return name.startsWith(API) && methods.containsKey(method);
  }

  private boolean says(String method, String annotation) {
    Set<String> own = methods.get(method);
    if (own == null) {
      return false;
    }
    boolean silent = Stream.of(ANY_CONTEXT, MAY_SLEEP, CALLBACK, FENCE).noneMatch(own::contains);
    return own.contains(annotation)
        || silent && !method.startsWith("<") && annotations.contains(annotation);
  }
}
