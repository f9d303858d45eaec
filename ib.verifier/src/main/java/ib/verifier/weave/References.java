package ib.verifier.weave;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
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
 * The method references of one class ({@code queue::take}) to methods whose calls need a probe, and
 * the lambda expressions and references that are callbacks of the midlayer. Each becomes a lambda
 * expression: a method of the class that calls, with its probes, what was referred to. So a call is
 * reported where it happens, at the line of the reference.
 */
final class References {
  private static final String FACTORY = "Ljava/lang/invoke/LambdaMetafactory;";
  private static final int SIGNATURE = 0; // of the factory's arguments: of the interface's method
  private static final int IMPLEMENTATION = 1; // of the factory's arguments: the method that is run

  /** The place of a reference: code may be written twice, and its method is the same then. */
  private record Place(String method, int line, DirectMethodHandleDesc target, Role role) {}

  /** How the midlayer calls the object: by which types, and whether from any context. */
  private record Role(String called, boolean anyContext) {
    boolean isCallback() {
      return anyContext || !called.isEmpty();
    }
  }

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
        || opcode(target) == null) {
      return false;
    }
    Role role = role(site, calls);
    if (!role.isCallback() && !calls.needProbe(target)) {
      return false;
    }
    ConstantDesc[] woven = Arrays.copyOf(arguments, arguments.length);
    woven[IMPLEMENTATION] =
        MethodHandleDesc.ofMethod(
            ofInterface ? Kind.INTERFACE_STATIC : Kind.STATIC,
            type,
            names.computeIfAbsent(new Place(method, line, target, role), p -> name(p.method)),
            target.invocationType());
    code.invokedynamic(
        DynamicCallSiteDesc.of(factory, site.invocationName(), site.invocationType(), woven));
    return true;
  }

  private static Role role(DynamicCallSiteDesc site, Calls calls) {
    String made = site.invocationType().returnType().descriptorString();
    if (!(site.bootstrapArgs()[SIGNATURE] instanceof MethodTypeDesc signature)) {
      return new Role("", false);
    }
    String type = made.substring(1, made.length() - 1);
    String method = site.invocationName() + signature.descriptorString();
    boolean any = calls.anyContext(type, method);
    return new Role(any ? "" : String.join(" ", calls.called(type, method)), any);
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
      case SPECIAL, INTERFACE_SPECIAL -> Opcode.INVOKESPECIAL;
      default -> null; // a constructor, or a field
    };
  }

  /**
   * Writes the methods that stand for references.
   *
   * @param builder of the class
   * @param culprit the bundle's name, for reports
   * @param call writes a call with its probes
   */
  void end(ClassBuilder builder, String culprit, BiConsumer<CodeBuilder, InvokeInstruction> call) {
    names.forEach(
        (place, name) ->
            builder.withMethodBody(
                name,
                place.target.invocationType(),
                ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC,
                code -> body(code, place, name, culprit, call)));
  }

  private void body(
      CodeBuilder code,
      Place place,
      String name,
      String culprit,
      BiConsumer<CodeBuilder, InvokeInstruction> call) {
    if (place.line > 0) {
      code.lineNumber(place.line);
    }
    enter(code, place.role, shown() + "." + name, culprit);
    Label begin = code.newBoundLabel();
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
    leave(code, place.role);
    code.return_(TypeKind.from(all.returnType()));
    if (place.role.isCallback()) {
      Label end = code.newBoundLabel();
      code.exceptionCatchAll(begin, end, end);
      leave(code, place.role);
      code.athrow();
    }
  }

  private String shown() {
    String descriptor = type.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
  }

  private static void enter(CodeBuilder code, Role role, String shown, String culprit) {
    if (role.anyContext) {
      Emit.texts(code, "enter", shown);
    }
    if (!role.called.isEmpty()) {
      Emit.texts(code, "callback", role.called, culprit);
    }
  }

  private static void leave(CodeBuilder code, Role role) {
    if (!role.called.isEmpty()) {
      Emit.texts(code, "callbackEnd");
    }
    if (role.anyContext) {
      Emit.texts(code, "exit");
    }
  }
}
