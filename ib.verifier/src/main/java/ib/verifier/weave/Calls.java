package ib.verifier.weave;

import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** All that is known of the calls in the code of one bundle. */
record Calls(BlockingRules rules, Hierarchy hierarchy, String culprit) {
  /** Stands for all that the midlayer calls of a driver, and for the registration of a device. */
  private static final String DRIVER = "ib.core.spi.DriverDevice";

  private static final String SPI = "ib/core/spi/";
  private static final List<String> REGISTRATIONS =
      List.of("ib/core/spi/DeviceRegistration", "ib/core/client/ClientRegistration");

  /** {@return the rule that says that a call may block} */
  Optional<String> blocking(String owner, String method, int parameters) {
    return rules.find(hierarchy, owner, method, parameters);
  }

  /**
   * {@return whether the midlayer says that a method, given by name and descriptor, may sleep} The
   * nearest declaration counts: an address handle is closed from any context, other objects are
   * not.
   */
  boolean maySleep(String owner, String method) {
    return hierarchy.withSupertypes(owner).stream()
        .filter(f -> f.anyContext(method) || f.maySleep(method))
        .findFirst()
        .map(f -> f.maySleep(method))
        .orElse(false);
  }

  /**
   * {@return whether a method, given by name and descriptor, registers or unregisters a device or a
   * client: it is one of a registration, or returns one}
   */
  boolean registers(String owner, String method) {
    return REGISTRATIONS.stream().anyMatch(r -> method.endsWith(")L" + r + ";") || isA(owner, r));
  }

  /** {@return whether a class or a supertype of it promises that any context may call a method} */
  boolean anyContext(String owner, String method) {
    return any(owner, f -> f.anyContext(method));
  }

  /** {@return whether one thread at a time may call a method on one object} */
  boolean notThreadSafe(String owner, String method) {
    return any(owner, f -> f.notThreadSafe(method));
  }

  /** {@return whether a class is a type or a subtype of it} */
  boolean isA(String owner, String type) {
    return any(owner, f -> f.name().equals(type));
  }

  /**
   * Returns the callbacks that a call waits for, by the types that a fence and a callback have in
   * common: the handler itself, or the object that it belongs to.
   *
   * @return names of types, or nothing when the method is no fence
   */
  Set<String> fenced(String owner, String method) {
    Set<String> types = new LinkedHashSet<>();
    for (Facts f : hierarchy.withSupertypes(owner)) {
      if (f.fence(method)) {
        types.add(dotted(owner));
        types.addAll(parameters(method));
        if (f.name().startsWith(SPI)) {
          types.add(DRIVER);
        }
      }
    }
    return types;
  }

  /**
   * Returns what the midlayer calls with a method of a class; see {@link #fenced}.
   *
   * @return names of types, or nothing when the midlayer does not call it
   */
  Set<String> called(String owner, String method) {
    Set<String> types = new LinkedHashSet<>();
    for (Facts f : hierarchy.withSupertypes(owner)) {
      if (!f.declares(method)) {
        continue;
      }
      if (f.callback(method)) {
        types.add(dotted(f.name()));
        types.addAll(parameters(method));
      } else if (f.implementedOutside() && !f.name().startsWith(SPI)) {
        types.add(dotted(f.name()));
      } else {
        types.add(DRIVER);
      }
    }
    return types;
  }

  /** {@return whether a call of a method that code refers to has a probe around or before it} */
  boolean needProbe(DirectMethodHandleDesc target) {
    String descriptor = target.owner().descriptorString();
    if (target.owner().isArray()) {
      return false;
    }
    String owner = descriptor.substring(1, descriptor.length() - 1);
    String key = target.methodName() + target.lookupDescriptor();
    int parameters = MethodTypeDesc.ofDescriptor(target.lookupDescriptor()).parameterCount();
    return blocking(owner, target.methodName(), parameters).isPresent()
        || maySleep(owner, key)
        || !fenced(owner, key).isEmpty()
        || notThreadSafe(owner, key);
  }

  /**
   * {@return a field as its class and name} Code may name a subclass of the class that declares the
   * field.
   */
  String field(String owner, String name) {
    String declares =
        hierarchy.withSupertypes(owner).stream()
            .filter(f -> f.fields().contains(name))
            .findFirst()
            .map(Facts::name)
            .orElse(owner);
    return dotted(declares) + "." + name;
  }

  private boolean any(String owner, Predicate<Facts> is) {
    return hierarchy.withSupertypes(owner).stream().anyMatch(is);
  }

  /** {@return the types of the midlayer among the parameters of a method} */
  private static List<String> parameters(String method) {
    String descriptor = method.substring(method.indexOf('('), method.indexOf(')'));
    return Arrays.stream(descriptor.split("[(;]"))
        .filter(p -> p.startsWith("L" + Facts.API))
        .map(p -> dotted(p.substring(1)))
        .distinct()
        .toList();
  }

  private static String dotted(String internalName) {
    return internalName.replace('/', '.');
  }
}
