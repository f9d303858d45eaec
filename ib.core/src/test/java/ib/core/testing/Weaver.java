package ib.core.testing;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Loads the core's internals and its scenarios anew, with a stop before each access to shared
 * state: volatile fields, VarHandles, concurrent collections; parking goes to {@link
 * Interleavings}.
 */
final class Weaver extends ClassLoader {
  private static final ClassDesc TO = ClassDesc.of("ib.core.testing.Interleavings");
  private static final MethodTypeDesc VOID = MethodTypeDesc.ofDescriptor("()V");

  Weaver() {
    super(Weaver.class.getClassLoader());
  }

  Interleavings.Scenario scenario(Class<? extends Interleavings.Scenario> type) {
    try {
      return (Interleavings.Scenario)
          loadClass(type.getName()).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      return isWoven(name) ? define(name) : super.loadClass(name, resolve);
    }
  }

  private static boolean isWoven(String name) {
    boolean explorer =
        name.startsWith(Interleavings.class.getName()) || name.equals(Weaver.class.getName());
    return name.startsWith("ib.core.internal.") || name.startsWith("ib.core.testing.") && !explorer;
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] woven = weave(in.readAllBytes());
      return defineClass(name, woven, 0, woven.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] weave(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    Set<String> shared =
        model.fields().stream()
            .filter(f -> f.flags().has(AccessFlag.VOLATILE))
            .map(FieldModel::fieldName)
            .map(n -> n.stringValue())
            .collect(Collectors.toSet());
    String self = model.thisClass().asInternalName();
    CodeTransform code = (builder, element) -> weave(builder, element, self, shared);
    return ClassFile.of().transformClass(model, ClassTransform.transformingMethodBodies(code));
  }

  private static void weave(CodeBuilder to, CodeElement e, String self, Set<String> shared) {
    if (e instanceof FieldInstruction f
        && f.owner().asInternalName().equals(self)
        && shared.contains(f.name().stringValue())) {
      to.invokestatic(TO, "step", VOID);
    }
    if (e instanceof InvokeInstruction i) {
      String owner = i.owner().asInternalName();
      String name = i.name().stringValue();
      if (owner.equals("java/util/concurrent/locks/LockSupport")) {
        to.invokestatic(TO, name, i.typeSymbol());
        return;
      }
      if (owner.equals("java/lang/Thread") && name.equals("onSpinWait")) {
        to.invokestatic(TO, "spin", VOID);
        return;
      }
      boolean constructor = name.equals("<init>");
      if (!constructor
          && (owner.equals("java/lang/invoke/VarHandle")
              || owner.equals("java/util/Queue")
              || owner.equals("java/util/NavigableSet")
              || owner.startsWith("java/util/concurrent/atomic/")
              || owner.startsWith("java/util/concurrent/Concurrent"))) {
        to.invokestatic(TO, "step", VOID);
      }
    }
    to.with(e);
  }
}
