package ib.verifier.weave;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Puts probes around single instructions of one method: calls and monitors. */
final class CallWeave {
  private static final String LOCK = "java/util/concurrent/locks/Lock";
  private static final List<String> LOCKS =
      List.of(LOCK, "java/util/concurrent/locks/ReadWriteLock");
  private static final Set<String> LOCK_METHODS =
      Set.of("lock", "lockInterruptibly", "tryLock", "unlock");
  private static final String THREAD = "java/lang/Thread";
  private static final String EXECUTORS = "java/util/concurrent/Executors";
  private static final String CHANNEL = "java/nio/channels/SelectableChannel";
  private static final String CONTEXT = "org/osgi/framework/BundleContext";
  private static final String REGISTRATION = "org/osgi/framework/ServiceRegistration";
  private static final String TIMER = "java/util/Timer";
  private static final List<String> MADE = List.of("java/util/concurrent/ExecutorService", TIMER);

  private final Calls calls;
  private final Runnable changed;
  private final References references;
  private final String type;
  private final String method;
  private int line;
  private final FieldTrail trail;
  private final Map<String, Integer> pending = new HashMap<>(); // new, and not constructed yet

  /**
   * For one method.
   *
   * @param calls what is known
   * @param changed to be called when a probe is written
   * @param references of the class
   * @param type the class's name
   * @param method the method's name
   */
  CallWeave(Calls calls, Runnable changed, References references, String type, String method) {
    this.calls = calls;
    this.changed = changed;
    this.references = references;
    this.type = type;
    this.method = method;
    this.trail = new FieldTrail(calls);
  }

  /** Writes an instruction, with probes where it needs some. */
  void write(CodeBuilder code, CodeElement element) {
    switch (element) {
      case MonitorInstruction m -> monitor(code, m);
      case InvokeInstruction call -> call(code, call);
      case InvokeDynamicInstruction made -> {
        if (references.write(code, made, calls, method, line)) {
          changed.run();
        } else {
          code.with(made);
        }
      }
      case LineNumber number -> {
        line = number.line();
        code.with(number);
      }
      case NewObjectInstruction n -> {
        pending.merge(n.className().asInternalName(), 1, Integer::sum);
        code.with(element);
      }
      default -> code.with(element);
    }
    trail.pass(element);
  }

  private void monitor(CodeBuilder code, MonitorInstruction m) {
    changed.run();
    if (m.opcode() == Opcode.MONITOREXIT) {
      Emit.object(code.dup(), "unlocked");
      code.with(m);
      return;
    }
    Emit.texts(code, "mightSleep", MethodWeave.MONITOR, calls.culprit());
    int lock = code.allocateLocal(TypeKind.REFERENCE);
    code.dup().astore(lock);
    Emit.object(code.aload(lock), "locking", trail.field(), calls.culprit());
    code.with(m);
    Emit.object(code.aload(lock), "locked", trail.field());
  }

  private void call(CodeBuilder code, InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String method = call.name().stringValue();
    if (owner.startsWith("[")) {
      code.with(call);
    } else if (method.startsWith("<")) {
      calls
          .blocking(owner, "new", call.typeSymbol().parameterCount())
          .ifPresent(rule -> mightSleep(code, rule));
      made(code, call, owner);
    } else if (call.opcode() != Opcode.INVOKESTATIC && calls.isA(owner, CHANNEL)) {
      channel(code, call, owner, method);
    } else {
      before(code, call, owner, method);
      around(code, call, owner, method);
    }
  }

  private void mightSleep(CodeBuilder code, String rule) {
    changed.run();
    Emit.texts(code, "mightSleep", rule, calls.culprit());
  }

  /** A channel that is configured not to block does not. */
  private void channel(CodeBuilder code, InvokeInstruction call, String owner, String method) {
    Optional<String> rule = calls.blocking(owner, method, call.typeSymbol().parameterCount());
    if (rule.isEmpty()) {
      code.with(call);
      return;
    }
    Emit.around(
        code,
        call,
        (b, channel) ->
            b.aload(channel)
                .invokevirtual(
                    ClassDesc.ofInternalName(CHANNEL),
                    "isBlocking",
                    MethodTypeDesc.of(ConstantDescs.CD_boolean))
                .ifThen(then -> mightSleep(then, rule.get())),
        (b, channel) -> {},
        (b, channel) -> {});
  }

  private void before(CodeBuilder code, InvokeInstruction call, String owner, String method) {
    String key = method + call.type().stringValue();
    String shown = owner.replace('/', '.') + "." + method;
    Optional<String> rule = calls.blocking(owner, method, call.typeSymbol().parameterCount());
    if (rule.isPresent()) {
      mightSleep(code, rule.get());
    } else if (calls.maySleep(owner, key)) {
      changed.run();
      String probe = calls.registers(owner, key) ? "registers" : "mayCallSleeping";
      Emit.texts(code, probe, shown, calls.culprit());
    }
    if (method.equals("registerService") && calls.isA(owner, CONTEXT)) {
      changed.run();
      Emit.object(code.dup2().pop(), "registering", calls.culprit()); // below the properties
    } else if (method.equals("unregister") && calls.isA(owner, REGISTRATION)) {
      changed.run();
      objectClass(code.dup());
      Emit.object(code, "unregistering", calls.culprit());
    }
    Set<String> fenced = calls.fenced(owner, key);
    if (!fenced.isEmpty()) {
      changed.run();
      Emit.texts(code, "fence", String.join(" ", fenced), calls.culprit());
    }
  }

  /** In place of a registration; of one that is over it throws what {@code unregister} throws. */
  private static void objectClass(CodeBuilder code) {
    ClassDesc reference = ClassDesc.ofInternalName("org/osgi/framework/ServiceReference");
    code.invokeinterface(
            ClassDesc.ofInternalName(REGISTRATION), "getReference", MethodTypeDesc.of(reference))
        .loadConstant("objectClass")
        .invokeinterface(
            reference,
            "getProperty",
            MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_String));
  }

  private void around(CodeBuilder code, InvokeInstruction call, String owner, String method) {
    boolean object = call.opcode() != Opcode.INVOKESTATIC;
    String descriptor = call.type().stringValue();
    if (object && calls.notThreadSafe(owner, method + descriptor)) {
      oneThread(code, call, owner.replace('/', '.') + "." + method);
    } else if (object && LOCK_METHODS.contains(method) && calls.isA(owner, LOCK)) {
      lock(code, call, method);
    } else if (object && (method + descriptor).equals("start()V") && calls.isA(owner, THREAD)) {
      starts(code, call);
    } else if (object && (method + descriptor).equals("cancel()V") && calls.isA(owner, TIMER)) {
      changed.run();
      Emit.object(code.dup(), "ended");
      code.with(call);
    } else {
      code.with(call);
      boolean thread = method.startsWith("start") && descriptor.endsWith(")L" + THREAD + ";");
      if (thread || owner.equals(EXECUTORS) && method.startsWith("new")) {
        started(code);
      }
    }
  }

  /** The thread is known before it runs: it may start others at once. */
  private void starts(CodeBuilder code, InvokeInstruction call) {
    changed.run();
    Emit.around(
        code,
        call,
        (b, thread) -> Emit.object(b.aload(thread), "started", calls.culprit()),
        (b, thread) -> {},
        (b, thread) -> Emit.object(b.aload(thread), "ended"));
  }

  private void started(CodeBuilder code) {
    changed.run();
    Emit.object(code.dup(), "started", calls.culprit());
  }

  private void oneThread(CodeBuilder code, InvokeInstruction call, String shown) {
    changed.run();
    Emit.Part end = (b, object) -> Emit.object(b.aload(object), "end");
    Emit.around(
        code,
        call,
        (b, object) -> Emit.object(b.aload(object), "begin", shown, calls.culprit()),
        end,
        end);
  }

  private void lock(CodeBuilder code, InvokeInstruction call, String method) {
    changed.run();
    String field = trail.field();
    if (method.equals("unlock")) {
      Emit.object(code.dup(), "unlocked");
      code.with(call);
      return;
    }
    boolean tries = method.equals("tryLock");
    boolean waits = !tries || call.typeSymbol().parameterCount() > 0;
    Emit.around(
        code,
        call,
        (b, lock) -> {
          if (waits) {
            Emit.object(b.aload(lock), "locking", field, calls.culprit());
          }
        },
        (b, lock) -> {
          if (tries) {
            b.dup().aload(lock).loadConstant(field);
            Emit.call(
                b,
                "tried",
                ConstantDescs.CD_boolean,
                ConstantDescs.CD_Object,
                ConstantDescs.CD_String);
          } else {
            Emit.object(b.aload(lock), "locked", field);
          }
        },
        (b, lock) -> {});
  }

  /** A constructor has run: of an object that the code makes, or of the superclass. */
  private void made(CodeBuilder code, InvokeInstruction call, String owner) {
    code.with(call);
    if (pending.getOrDefault(owner, 0) > 0 && call.name().equalsString("<init>")) {
      pending.merge(owner, -1, Integer::sum);
      if (MADE.stream().anyMatch(type -> calls.isA(owner, type))) {
        started(code); // javac leaves a second reference on the stack
      } else if (LOCKS.stream().anyMatch(lock -> calls.isA(owner, lock))) {
        changed.run();
        Emit.object(code.dup(), "lockMade", "lock of " + type + "." + method + ":" + line);
      }
    }
  }
}
