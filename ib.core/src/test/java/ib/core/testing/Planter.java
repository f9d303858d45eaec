package ib.core.testing;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Puts a bug in the place of a call. */
final class Planter {
  private static final ClassDesc EXPLORER = ClassDesc.of("ib.core.testing.Interleavings");
  private static final ClassDesc VAR_HANDLE = ClassDesc.of("java.lang.invoke.VarHandle");
  private static final MethodTypeDesc VOID = MethodTypeDesc.ofDescriptor("()V");

  private final CodeBuilder to;
  private final ClassDesc owner; // a VarHandle, or an atomic class
  private final MethodTypeDesc type;
  private final int coordinates; // parameters that say where
  private final ClassDesc value;
  private final int[] locals; // the handle, then the parameters

  private Planter(CodeBuilder to, InvokeInstruction call, int values) {
    this.to = to;
    this.owner = call.owner().asSymbol();
    this.type = call.typeSymbol();
    this.coordinates = type.parameterCount() - values;
    this.value = type.parameterType(coordinates);
    this.locals = new int[1 + type.parameterCount()];
  }

  static void plant(CodeBuilder to, InvokeInstruction call, Weave.Kind kind) {
    switch (kind) {
      case DROPPED -> pop(to, call);
      case TRUE -> {
        pop(to, call);
        to.iconst_1();
      }
      case TORN -> {
        boolean cas = call.name().equalsString("compareAndSet");
        Planter p = new Planter(to, call, cas ? 2 : 1);
        p.spill();
        if (cas) {
          p.compareAndSet();
        } else {
          p.update(call.name().stringValue());
        }
      }
    }
  }

  private static void pop(CodeBuilder to, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    for (int i = type.parameterCount() - 1; i >= 0; i--) {
      if (TypeKind.from(type.parameterType(i)).slotSize() == 2) {
        to.pop2();
      } else {
        to.pop();
      }
    }
    if (call.opcode() != Opcode.INVOKESTATIC) {
      to.pop();
    }
  }

  private void spill() {
    for (int i = type.parameterCount(); i > 0; i--) {
      TypeKind kind = TypeKind.from(type.parameterType(i - 1));
      locals[i] = to.allocateLocal(kind);
      to.storeLocal(kind, locals[i]);
    }
    locals[0] = to.allocateLocal(TypeKind.REFERENCE);
    to.astore(locals[0]);
  }

  private void load(int parameter) {
    to.loadLocal(TypeKind.from(type.parameterType(parameter)), locals[1 + parameter]);
  }

  private void where() {
    to.invokestatic(EXPLORER, "step", VOID);
    to.aload(locals[0]);
    for (int i = 0; i < coordinates; i++) {
      load(i);
    }
  }

  private MethodTypeDesc place() {
    return MethodTypeDesc.of(value, type.parameterList().subList(0, coordinates));
  }

  private boolean isHandle() {
    return owner.equals(VAR_HANDLE);
  }

  private void get() {
    where();
    to.invokevirtual(owner, isHandle() ? "getVolatile" : "get", place());
  }

  /** Writes what is in a local. */
  private void set(int local) {
    where();
    to.loadLocal(TypeKind.from(value), local);
    to.invokevirtual(
        owner,
        isHandle() ? "setVolatile" : "set",
        place().changeReturnType(ConstantDescs.CD_void).insertParameterTypes(coordinates, value));
  }

  private void compareAndSet() {
    Label differs = to.newLabel();
    Label end = to.newLabel();
    get();
    load(coordinates);
    switch (TypeKind.from(value)) {
      case LONG -> to.lcmp().ifne(differs);
      case REFERENCE -> to.if_acmpne(differs);
      default -> to.if_icmpne(differs);
    }
    set(locals[1 + coordinates + 1]);
    to.iconst_1().goto_(end);
    to.labelBinding(differs);
    to.iconst_0();
    to.labelBinding(end);
  }

  private void update(String name) {
    TypeKind kind = TypeKind.from(value);
    boolean isLong = kind == TypeKind.LONG;
    int was = to.allocateLocal(kind);
    int will = to.allocateLocal(kind);
    get();
    to.storeLocal(kind, was);
    switch (name) {
      case "getAndSet" -> load(coordinates);
      case "getAndAdd" -> {
        to.loadLocal(kind, was);
        load(coordinates);
        to.with(isLong ? OperatorInstruction.of(Opcode.LADD) : OperatorInstruction.of(Opcode.IADD));
      }
      case "getAndBitwiseOr" -> {
        to.loadLocal(kind, was);
        load(coordinates);
        to.with(isLong ? OperatorInstruction.of(Opcode.LOR) : OperatorInstruction.of(Opcode.IOR));
      }
      default -> throw new AssertionError("cannot tear " + name);
    }
    to.storeLocal(kind, will);
    set(will);
    if (!type.returnType().equals(ConstantDescs.CD_void)) {
      to.loadLocal(kind, was);
    }
  }
}
