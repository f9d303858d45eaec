package ib.engine.sim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Predicate;

/** Loads the engine and the simulator anew, with a bug planted into one method. */
public final class Plant extends ClassLoader {
  private static final String OURS = "ib.";
  private static final String ENGINE = "ib.engine.";

  private final Predicate<String> targets;
  private final ClassTransform bug;

  /**
   * Plants a bug.
   *
   * @param target name of a class, whole or without {@code ib.engine.}
   * @param method name of its method
   * @param bug what becomes of the method's code
   */
  Plant(String target, String method, CodeTransform bug) {
    this(
        (target.startsWith(OURS) ? target : ENGINE + target)::equals,
        ClassTransform.transformingMethodBodies(
            m -> m.methodName().equalsString(method) && m.code().isPresent(), bug));
  }

  /**
   * Plants into many classes.
   *
   * @param targets whether a class is one of them, by its whole name
   * @param bug what becomes of it
   */
  public Plant(Predicate<String> targets, ClassTransform bug) {
    super(Plant.class.getClassLoader());
    this.targets = targets;
    this.bug = bug;
  }

  /** Runs a simulation; returns what a checker found, or null. */
  String run(long seed, Profile profile) {
    try {
      return (String)
          loadClass(Sim.class.getName())
              .getMethod("verdict", long.class, String.class)
              .invoke(null, seed, profile.name());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof LinkageError broken) {
        throw new AssertionError("the bug was not planted properly", broken);
      }
      return e.getCause().toString(); // a bug may break things beyond what the checkers expect
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
      return name.startsWith(OURS) ? define(name) : super.loadClass(name, resolve);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      byte[] code = targets.test(name) ? planted(bytes) : bytes;
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] planted(byte[] bytes) {
    ClassFile classes = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);
    return classes.transformClass(classes.parse(bytes), bug);
  }
}
