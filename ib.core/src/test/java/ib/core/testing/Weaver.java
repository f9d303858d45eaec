package ib.core.testing;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Loads the explored classes and their scenarios anew, with a stop before each access to shared
 * state: volatile fields, VarHandles, concurrent collections; parking goes to {@link
 * Interleavings}.
 */
final class Weaver extends ClassLoader {
  private static final ClassDesc TO = ClassDesc.of("ib.core.testing.Interleavings");
  private static final MethodTypeDesc VOID = MethodTypeDesc.ofDescriptor("()V");
  private static final MethodTypeDesc LOCK =
      MethodTypeDesc.ofDescriptor("(Ljava/util/concurrent/locks/ReentrantLock;)V");

  private final Weave weave;
  private final Map<String, Boolean> shared = new HashMap<>();
  private int planted;

  Weaver(Weave weave) {
    super(Weaver.class.getClassLoader());
    this.weave = weave;
  }

  Interleavings.Scenario scenario(
      Class<? extends Interleavings.Scenario> type, String... arguments) {
    Class<?>[] strings = new Class<?>[arguments.length];
    Arrays.fill(strings, String.class);
    try {
      return (Interleavings.Scenario)
          loadClass(type.getName())
              .getDeclaredConstructor(strings)
              .newInstance((Object[]) arguments);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Throws when a bug found no place to be planted at. */
  void checkPlanted() {
    if (planted < weave.bugs().size()) {
      throw new AssertionError("not planted: " + weave.bugs());
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

  private boolean isWoven(String name) {
    boolean explorer =
        name.startsWith(Interleavings.class.getName()) || name.startsWith("ib.core.testing.Weave");
    return weave.woven().test(name) || name.startsWith("ib.core.testing.") && !explorer;
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] woven = weave(read(name));
    return defineClass(name, woven, 0, woven.length);
  }

  private byte[] read(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] weave(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    String self = model.thisClass().asInternalName().replace('/', '.');
    boolean stops = weave.stopping().test(self);
    ClassTransform methods =
        (classBuilder, element) -> {
          if (element instanceof MethodModel m && m.code().isPresent()) {
            String where = self + "." + m.methodName().stringValue();
            MethodTransform code =
                MethodTransform.transformingCode((to, e) -> weave(to, e, where, stops));
            classBuilder.transformMethod(m, code);
          } else {
            classBuilder.with(element);
          }
        };
    return ClassFile.of().transformClass(model, methods);
  }

  private void weave(CodeBuilder to, CodeElement e, String where, boolean stops) {
    if (e instanceof InvokeInstruction i) {
      Optional<Weave.Bug> bug =
          weave.bugs().stream()
              .filter(b -> b.method().equals(where) && b.call().equals(i.name().stringValue()))
              .findFirst();
      if (bug.isPresent()) {
        planted++;
        Planter.plant(to, i, bug.get().kind());
        return;
      }
      String owner = i.owner().asInternalName();
      if (owner.equals("java/util/concurrent/locks/LockSupport")) {
        to.invokestatic(TO, i.name().stringValue(), i.typeSymbol());
        return;
      }
      if (owner.equals("java/util/concurrent/locks/ReentrantLock")
          && i.name().equalsString("lock")) {
        to.invokestatic(TO, "lock", LOCK);
        return;
      }
      if (owner.equals("java/lang/Thread") && i.name().equalsString("onSpinWait")) {
        to.invokestatic(TO, "spin", VOID);
        return;
      }
    }
    if (stops && isAccess(e)) {
      to.invokestatic(TO, "step", VOID);
    }
    to.with(e);
  }

  private boolean isAccess(CodeElement e) {
    return switch (e) {
      case FieldInstruction f -> isShared(f.owner().asInternalName(), f.name().stringValue());
      case ArrayLoadInstruction _, ArrayStoreInstruction _ -> weave.arrays();
      case InvokeInstruction i -> {
        String owner = i.owner().asInternalName();
        yield !i.name().equalsString("<init>")
            && (owner.equals("java/lang/invoke/VarHandle")
                || owner.equals("java/lang/foreign/MemorySegment") && i.name().equalsString("copy")
                || owner.equals("java/util/Queue")
                || owner.equals("java/util/NavigableSet")
                || owner.startsWith("java/util/concurrent/atomic/")
                || owner.startsWith("java/util/concurrent/Concurrent"));
      }
      default -> false;
    };
  }

  /** Whether a field of a woven class, perhaps inherited, is volatile. */
  private boolean isShared(String owner, String field) {
    return shared.computeIfAbsent(owner + "." + field, key -> isVolatile(owner, field));
  }

  private boolean isVolatile(String owner, String field) {
    String name = owner.replace('/', '.');
    if (!isWoven(name)) {
      return false;
    }
    try {
      ClassModel model = ClassFile.of().parse(read(name));
      for (FieldModel f : model.fields()) {
        if (f.fieldName().equalsString(field)) {
          return f.flags().has(AccessFlag.VOLATILE);
        }
      }
      return model.superclass().isPresent()
          && isVolatile(model.superclass().get().asInternalName(), field);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
