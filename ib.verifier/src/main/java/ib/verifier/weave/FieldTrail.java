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

/**
 * Knows which field the object on the top of the stack was read from. A lock is named by its field:
 * all locks of that field are one class of locks, so one run finds orders that were never taken
 * together.
 */
final class FieldTrail {
  private final Map<Integer, String> locals = new HashMap<>();
  private String top = "";

  /** {@return the field as class and name, or an empty text when that is not known} */
  String field() {
    return top;
  }

  /** The instruction is written. */
  void pass(CodeElement element) {
    switch (element) {
      case FieldInstruction f -> top = read(f);
      case StoreInstruction store -> locals.put(store.slot(), top);
      case LoadInstruction load -> top = locals.getOrDefault(load.slot(), "");
      case InvokeInstruction call when half(call) -> {} // of a lock that has two
      case StackInstruction s when s.opcode() == Opcode.DUP -> {}
      case PseudoInstruction p -> {}
      default -> top = "";
    }
  }

  private static String read(FieldInstruction f) {
    boolean get = f.opcode() == Opcode.GETFIELD || f.opcode() == Opcode.GETSTATIC;
    String owner = f.owner().asInternalName().replace('/', '.');
    return get ? owner + "." + f.name().stringValue() : "";
  }

  private static boolean half(InvokeInstruction call) {
    String name = call.name().stringValue();
    return name.equals("readLock") || name.equals("writeLock");
  }
}
