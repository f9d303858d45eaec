package ib.verifier.weave;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Puts probes into one method: around the whole of a method that the midlayer calls, or any
 * context, or that is synchronized; and, by {@link CallWeave}, into its code.
 */
final class MethodWeave implements CodeTransform {
  /** The name, in reports, of entering a monitor. */
  static final String MONITOR = "synchronized";

  private static final String CLIENT = "ib/core/client/IbClient";
  private static final String ADD = "add(Lib/core/verbs/IbDevice;)Ljava/lang/Object;";
  private static final String REMOVE = "remove(Lib/core/verbs/IbDevice;Ljava/lang/Object;)V";

  private final CallWeave inside;
  private final Calls calls;
  private final AtomicBoolean changed;
  private final ClassModel model;
  private final String name;
  private final boolean section;
  private final Set<String> called;
  private final boolean adds;
  private final boolean removes;
  private final boolean monitor;
  private final boolean ofClass;
  private final List<ExceptionCatch> handlers = new ArrayList<>();
  private @Nullable Label begin;
  private int self;
  private int device;

  MethodWeave(
      Calls calls,
      ClassModel model,
      MethodModel method,
      References references,
      AtomicBoolean changed) {
    this.calls = calls;
    this.changed = changed;
    this.model = model;
    inside =
        new CallWeave(
            calls,
            () -> changed.set(true),
            references,
            model.thisClass().asInternalName().replace('/', '.'),
            method.methodName().stringValue());
    String owner = model.thisClass().asInternalName();
    String key = Facts.key(method);
    name = owner.replace('/', '.') + "." + method.methodName().stringValue();
    ofClass = method.flags().has(AccessFlag.STATIC);
    boolean virtual =
        !ofClass
            && !method.flags().has(AccessFlag.PRIVATE)
            && !method.methodName().stringValue().startsWith("<");
    section = virtual && calls.anyContext(owner, key);
    called = virtual && !section ? calls.called(owner, key) : Set.of();
    boolean client = virtual && calls.isA(owner, CLIENT);
    adds = client && key.equals(ADD);
    removes = client && key.equals(REMOVE);
    monitor = method.flags().has(AccessFlag.SYNCHRONIZED);
  }

  private boolean whole() {
    return section || monitor || adds || removes || !called.isEmpty();
  }

  @Override
  public void atStart(CodeBuilder code) {
    if (!whole()) {
      return;
    }
    changed.set(true);
    if (adds || removes) { // the code may use the variables of its parameters for other things
      self = code.allocateLocal(TypeKind.REFERENCE);
      device = code.allocateLocal(TypeKind.REFERENCE);
      code.aload(code.receiverSlot()).astore(self).aload(code.parameterSlot(0)).astore(device);
    }
    if (section) {
      Emit.texts(code, "enter", name);
    }
    if (!called.isEmpty()) {
      Emit.texts(code, "callback", String.join(" ", called), calls.culprit());
    }
    if (adds) {
      pair(code.aload(self).aload(device), "adding");
    }
    if (monitor) {
      Emit.texts(code, "mightSleep", MONITOR, calls.culprit());
      Emit.object(lock(code), "locking", "", calls.culprit());
      Emit.object(lock(code), "locked", "");
    }
    begin = code.newBoundLabel();
  }

  private static void pair(CodeBuilder code, String probe) {
    Emit.call(code, probe, ConstantDescs.CD_Object, ConstantDescs.CD_Object);
  }

  private CodeBuilder lock(CodeBuilder code) {
    return ofClass
        ? code.loadConstant(model.thisClass().asSymbol())
        : code.aload(code.receiverSlot());
  }

  private void leave(CodeBuilder code) {
    if (monitor) {
      Emit.object(lock(code), "unlocked");
    }
    if (adds) {
      pair(code.aconst_null().aconst_null(), "adding");
    }
    if (removes) {
      pair(code.aload(self).aload(device), "removed");
    }
    if (!called.isEmpty()) {
      Emit.texts(code, "callbackEnd");
    }
    if (section) {
      Emit.texts(code, "exit");
    }
  }

  @Override
  public void accept(CodeBuilder code, CodeElement element) {
    switch (element) {
      // later than those of the probes, which are inside of them
      case ExceptionCatch handler -> handlers.add(handler);
      case ReturnInstruction end when begin != null -> {
        leave(code);
        code.with(end);
      }
      default -> inside.write(code, element);
    }
  }

  /** However the method ends by an exception, it is left. */
  @Override
  public void atEnd(CodeBuilder code) {
    handlers.forEach(code::with);
    if (begin != null) {
      Label end = code.newBoundLabel();
      code.exceptionCatchAll(begin, end, end);
      leave(code);
      code.athrow();
    }
  }
}
