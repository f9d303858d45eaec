package ib.verifier.weave;

import ib.verifier.probe.Probe;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes calls of probes into code. */
final class Emit {
  private static final ClassDesc PROBE = Probe.class.describeConstable().orElseThrow();

  private Emit() {}

  /**
   * Writes the call of a probe.
   *
   * @param code where to
   * @param probe the name of the method; its arguments are on the stack
   * @param parameters the types of the arguments
   */
  static void call(CodeBuilder code, String probe, ClassDesc... parameters) {
    code.invokestatic(PROBE, probe, MethodTypeDesc.of(ConstantDescs.CD_void, parameters));
  }

  /** Writes the call of a probe that has texts. */
  static void texts(CodeBuilder code, String probe, String... texts) {
    for (String text : texts) {
      code.loadConstant(text);
    }
    ClassDesc[] types =
        Collections.nCopies(texts.length, ConstantDescs.CD_String).toArray(new ClassDesc[0]);
    call(code, probe, types);
  }

  /** Writes the call of a probe that has an object, which is on the stack, and texts. */
  static void object(CodeBuilder code, String probe, String... texts) {
    List<ClassDesc> types = new ArrayList<>(List.of(ConstantDescs.CD_Object));
    for (String text : texts) {
      code.loadConstant(text);
      types.add(ConstantDescs.CD_String);
    }
    call(code, probe, types.toArray(ClassDesc[]::new));
  }

  /** Writes something at a place in the code of a call. */
  interface Part {
    /**
     * Writes it.
     *
     * @param code where to
     * @param receiver the local variable that has the object whose method is called
     */
    void write(CodeBuilder code, int receiver);
  }

  /**
   * Writes a call with probes before and after it, however it ends.
   *
   * @param code where to
   * @param call the call, with its receiver and arguments on the stack
   * @param before what comes before
   * @param after what comes after; the result is on the stack, when there is one
   * @param failed what comes when the call ends by an exception
   */
  static void around(
      CodeBuilder code, InvokeInstruction call, Part before, Part after, Part failed) {
    code.block(
        b -> {
          List<TypeKind> kinds =
              call.typeSymbol().parameterList().stream().map(TypeKind::from).toList();
          int[] slots = new int[kinds.size()];
          for (int i = slots.length - 1; i >= 0; i--) {
            slots[i] = b.allocateLocal(kinds.get(i));
            b.storeLocal(kinds.get(i), slots[i]);
          }
          int receiver = b.allocateLocal(TypeKind.REFERENCE);
          b.dup().astore(receiver);
          before.write(b, receiver);
          for (int i = 0; i < slots.length; i++) {
            b.loadLocal(kinds.get(i), slots[i]);
          }
          Label start = b.newBoundLabel();
          b.with(call);
          Label end = b.newBoundLabel();
          after.write(b, receiver);
          Label done = b.newLabel();
          b.goto_(done);
          // here, so that the handlers of the code itself cover what is thrown again
          Label handler = b.newBoundLabel();
          b.exceptionCatchAll(start, end, handler);
          failed.write(b, receiver);
          b.athrow();
          b.labelBinding(done);
        });
  }
}
