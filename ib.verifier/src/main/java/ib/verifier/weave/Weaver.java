package ib.verifier.weave;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Puts probes into the classes of one bundle. */
public final class Weaver {
  private final BlockingRules rules;
  private final Hierarchy hierarchy;
  private final ClassFile files;
  private final String culprit;

  /**
   * Makes the weaver of a bundle.
   *
   * @param rules which calls may block
   * @param loader sees the classes of the bundle and those that they use
   * @param culprit the bundle's name, for reports
   */
  public Weaver(BlockingRules rules, ClassLoader loader, String culprit) {
    this.rules = rules;
    this.culprit = culprit;
    hierarchy = new Hierarchy(loader);
    ClassHierarchyResolver resolver =
        ClassHierarchyResolver.ofResourceParsing(loader)
            .orElse(ClassHierarchyResolver.defaultResolver());
    files = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
  }

  /**
   * Weaves a class.
   *
   * @param original the class file
   * @return the class file with probes, or empty when the class needs none
   */
  public Optional<byte[]> weave(byte[] original) {
    ClassModel model = files.parse(original);
    AtomicBoolean changed = new AtomicBoolean();
    byte[] woven =
        files.transformClass(
            model,
            (builder, element) -> {
              if (element instanceof MethodModel method && method.code().isPresent()) {
                MethodWeave weave = weave(model, method, changed);
                builder.transformMethod(method, MethodTransform.transformingCode(weave));
              } else {
                builder.with(element);
              }
            });
    return changed.get() ? Optional.of(woven) : Optional.empty();
  }

  private MethodWeave weave(ClassModel model, MethodModel method, AtomicBoolean changed) {
    return new MethodWeave(new Calls(rules, hierarchy, culprit), model, method, changed);
  }
}
