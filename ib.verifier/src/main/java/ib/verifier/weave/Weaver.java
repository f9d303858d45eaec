package ib.verifier.weave;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.reflect.AccessFlag;
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
    Calls calls = new Calls(rules, hierarchy, culprit);
    References references =
        new References(model.thisClass().asSymbol(), model.flags().has(AccessFlag.INTERFACE));
    byte[] woven =
        files.transformClass(
            model,
            new ClassTransform() {
              @Override
              public void accept(ClassBuilder builder, ClassElement element) {
                if (element instanceof MethodModel method && method.code().isPresent()) {
                  MethodWeave weave = new MethodWeave(calls, model, method, references, changed);
                  builder.transformMethod(method, MethodTransform.transformingCode(weave));
                } else {
                  builder.with(element);
                }
              }

              @Override
              public void atEnd(ClassBuilder builder) {
                references.end(
                    builder,
                    culprit,
                    (code, call) ->
                        new CallWeave(calls, () -> {}, references, "", "").write(code, call));
              }
            });
    return changed.get() ? Optional.of(woven) : Optional.empty();
  }
}
