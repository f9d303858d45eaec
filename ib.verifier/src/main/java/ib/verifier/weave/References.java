package ib.verifier.weave;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.ConstantPoolBuilder;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DirectMethodHandleDesc.Kind;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The method references of one class ({@code queue::take}) to methods whose calls need a probe.
 * Each becomes a lambda expression: a method of the class that calls, with its probes, what was
 * referred to. So a call is reported where it happens, at the line of the reference.
 */
final class References {
  private static final String FACTORY = "Ljava/lang/invoke/LambdaMetafactory;";
  private static final int IMPLEMENTATION = 1; // of the factory's arguments: the method that is run

  /** The place of a reference: code may be written twice, and its method is the same then. */
  private record Place(String method, int line, DirectMethodHandleDesc target) {}

  private final ClassDesc type;
  private final boolean ofInterface;
  private final Map<Place, String> names = new LinkedHashMap<>();

  /**
   * For one class.
   *
   * @param type the class
   * @param ofInterface whether it is an interface
   */
  References(ClassDesc type, boolean ofInterface) {
    this.type = type;
    this.ofInterface = ofInterface;
  }

  /**
   * Writes an instruction that makes an object of a functional interface.
   *
   * @param code where to
   * @param made the instruction
   * @param calls what is known
   * @param method the name of the method that has the instruction
   * @param line of the instruction, or 0
   * @return whether it refers to a method whose calls need a probe; else nothing is written
   */
  boolean write(
      CodeBuilder code, InvokeDynamicInstruction made, Calls calls, String method, int line) {
    DynamicCallSiteDesc site = made.invokedynamic().asSymbol();
    ConstantDesc[] arguments = site.bootstrapArgs();
    if (!(site.bootstrapMethod() instanceof DirectMethodHandleDesc factory)
        || !factory.owner().descriptorString().equals(FACTORY)
        || !factory.methodName().equals("metafactory")
        || !(arguments[IMPLEMENTATION] instanceof DirectMethodHandleDesc target)
        || opcode(target) == null
        || !calls.needProbe(target)) {
      return false;
    }
    ConstantDesc[] woven = Arrays.copyOf(arguments, arguments.length);
    woven[IMPLEMENTATION] =
        MethodHandleDesc.ofMethod(
            ofInterface ? Kind.INTERFACE_STATIC : Kind.STATIC,
            type,
            names.computeIfAbsent(new Place(method, line, target), p -> name(p.method)),
            target.invocationType());
    code.invokedynamic(
        DynamicCallSiteDesc.of(factory, site.invocationName(), site.invocationType(), woven));
    return true;
  }

  /** {@return a name that no other method has, after the method that refers, as javac's lambdas} */
  private String name(String method) {
    String base = method.replace("<init>", "new").replace("<clinit>", "static");
    return base + "$reference$" + names.size();
  }

  private static @Nullable Opcode opcode(DirectMethodHandleDesc target) {
    return switch (target.kind()) {
      case VIRTUAL -> Opcode.INVOKEVIRTUAL;
      case INTERFACE_VIRTUAL -> Opcode.INVOKEINTERFACE;
      case STATIC, INTERFACE_STATIC -> Opcode.INVOKESTATIC;
      default -> null; // of this class alone, or a constructor: no call that may block
    };
  }

  /**
   * Writes the methods that stand for references.
   *
   * @param builder of the class
   * @param call writes a call with its probes
   */
  void end(ClassBuilder builder, BiConsumer<CodeBuilder, InvokeInstruction> call) {
    names.forEach(
        (place, name) ->
            builder.withMethodBody(
                name,
                place.target.invocationType(),
                ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC,
                code -> body(code, place, call)));
  }

  private static void body(
      CodeBuilder code, Place place, BiConsumer<CodeBuilder, InvokeInstruction> call) {
    if (place.line > 0) {
      code.lineNumber(place.line);
    }
    MethodTypeDesc all = place.target.invocationType();
    for (int i = 0; i < all.parameterCount(); i++) {
      code.loadLocal(TypeKind.from(all.parameterType(i)), code.parameterSlot(i));
    }
    DirectMethodHandleDesc target = place.target;
    ConstantPoolBuilder pool = code.constantPool();
    MethodTypeDesc own = MethodTypeDesc.ofDescriptor(target.lookupDescriptor());
    MemberRefEntry member =
        target.isOwnerInterface()
            ? pool.interfaceMethodRefEntry(target.owner(), target.methodName(), own)
            : pool.methodRefEntry(target.owner(), target.methodName(), own);
    Opcode opcode = opcode(target);
    if (opcode == null) {
      throw new IllegalStateException("no call of " + target);
    }
    call.accept(code, InvokeInstruction.of(opcode, member));
    code.return_(TypeKind.from(all.returnType()));
  }
}
