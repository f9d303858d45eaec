package ib.verifier.weave;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.PseudoInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows which field the object on the top of the stack was read from. A lock is named by its field:
 * all locks of that field are one class of locks, so one run finds orders that were never taken
 * together.
 */
final class FieldTrail {
  private final Calls calls;
  private final Map<Integer, @Nullable FieldInstruction> locals = new HashMap<>();
  private @Nullable FieldInstruction top;

  /**
   * For the code of one method.
   *
   * @param calls what is known of the fields
   */
  FieldTrail(Calls calls) {
    this.calls = calls;
  }

  /** {@return the field as class and name, or an empty text when that is not known} */
  String field() {
    FieldInstruction read = top;
    return read == null
        ? ""
        : calls.field(read.owner().asInternalName(), read.name().stringValue());
  }

  /** The instruction is written. */
  void pass(CodeElement element) {
    switch (element) {
      case FieldInstruction f -> top = reads(f) ? f : null;
      case StoreInstruction store -> locals.put(store.slot(), top);
      case LoadInstruction load -> top = locals.get(load.slot());
      case InvokeInstruction call when half(call) -> {} // of a lock that has two
      case StackInstruction s when s.opcode() == Opcode.DUP -> {}
      case PseudoInstruction p -> {}
      default -> top = null;
    }
  }

  private static boolean reads(FieldInstruction f) {
    return f.opcode() == Opcode.GETFIELD || f.opcode() == Opcode.GETSTATIC;
  }

  private static boolean half(InvokeInstruction call) {
    String name = call.name().stringValue();
    return name.equals("readLock") || name.equals("writeLock");
  }
}
