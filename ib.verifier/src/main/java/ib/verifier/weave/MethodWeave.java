package ib.verifier.weave;

import ib.verifier.probe.Probe;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Puts probes into one method: before each call that may block, before each monitor, and around the
 * whole of a method that any context may call.
 */
final class MethodWeave implements CodeTransform {
  /** The name, in reports, of entering a monitor. */
  private static final String MONITOR = "synchronized";

  private static final ClassDesc PROBE = Probe.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final MethodTypeDesc TEXT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);
  private static final MethodTypeDesc TEXTS =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String, ConstantDescs.CD_String);

  private final Calls calls;
  private final AtomicBoolean changed;
  private final String name;
  private final boolean section;
  private final boolean monitor;
  private @Nullable Label begin;

  MethodWeave(Calls calls, ClassModel model, MethodModel method, AtomicBoolean changed) {
    this.calls = calls;
    this.changed = changed;
    String owner = model.thisClass().asInternalName();
    name = owner.replace('/', '.') + "." + method.methodName().stringValue();
    boolean virtual =
        !method.flags().has(AccessFlag.STATIC)
            && !method.flags().has(AccessFlag.PRIVATE)
            && !method.methodName().stringValue().startsWith("<");
    section = virtual && calls.anyContext(owner, Facts.key(method));
    monitor = method.flags().has(AccessFlag.SYNCHRONIZED);
  }

  @Override
  public void atStart(CodeBuilder code) {
    if (section) {
      changed.set(true);
      code.loadConstant(name).invokestatic(PROBE, "enter", TEXT);
      begin = code.newBoundLabel();
    }
    if (monitor) {
      mightSleep(code, MONITOR);
    }
  }

  @Override
  public void accept(CodeBuilder code, CodeElement element) {
    switch (element) {
      case ReturnInstruction end when section -> code.invokestatic(PROBE, "exit", NOTHING);
      case MonitorInstruction m when m.opcode() == Opcode.MONITORENTER -> mightSleep(code, MONITOR);
      case InvokeInstruction call -> before(code, call);
      default -> {}
    }
    code.with(element);
  }

  private void before(CodeBuilder code, InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String method = call.name().stringValue();
    if (owner.startsWith("[") || method.startsWith("<")) {
      return;
    }
    Optional<String> rule = calls.blocking(owner, method, call.typeSymbol().parameterCount());
    if (rule.isPresent()) {
      mightSleep(code, rule.get());
    } else if (calls.maySleep(owner, method + call.type().stringValue())) {
      probe(code, "mayCallSleeping", owner.replace('/', '.') + "." + method);
    }
  }

  private void mightSleep(CodeBuilder code, String call) {
    probe(code, "mightSleep", call);
  }

  private void probe(CodeBuilder code, String probe, String call) {
    changed.set(true);
    code.loadConstant(call).loadConstant(calls.culprit()).invokestatic(PROBE, probe, TEXTS);
  }

  /** However the method ends by an exception, it leaves the section. */
  @Override
  public void atEnd(CodeBuilder code) {
    if (begin != null) {
      Label end = code.newBoundLabel();
      code.exceptionCatchAll(begin, end, end);
      code.invokestatic(PROBE, "exit", NOTHING).athrow();
    }
  }
}
