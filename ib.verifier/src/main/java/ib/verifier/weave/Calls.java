package ib.verifier.weave;

import java.util.Optional;

/** All that is known of the calls in the code of one bundle. */
record Calls(BlockingRules rules, Hierarchy hierarchy, String culprit) {
  /** {@return the rule that says that a call may block} */
  Optional<String> blocking(String owner, String method, int parameters) {
    return rules.find(hierarchy, owner, method, parameters);
  }

  /** {@return whether the midlayer says that a method, given by name and descriptor, may sleep} */
  boolean maySleep(String owner, String method) {
    return hierarchy.withSupertypes(owner).stream().anyMatch(f -> f.maySleep(method));
  }

  /** {@return whether a class or a supertype of it promises that any context may call a method} */
  boolean anyContext(String owner, String method) {
    return hierarchy.withSupertypes(owner).stream().anyMatch(f -> f.anyContext(method));
  }
}
