package ib.verifier.weave;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.MethodTypeDesc;
import java.lang.module.ModuleFinder;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public methods of modules from which, within a few calls, code is reached that waits or
 * enters the kernel.
 *
 * <p>A call leads to the method that it names, and to what overrides that in the same package. A
 * method without code is as its implementations are, wherever they are. A Runnable is not followed:
 * it is the caller's.
 */
final class JdkCalls {
  /** A lock is four calls away from its park; what holds one for a short step is farther. */
  private static final int DEPTH = 4;

  private static final Pattern WAITS =
      Pattern.compile(
          "java/lang/Object\\.wait0?\\(.*|java/lang/Thread\\.sleep(0|Nanos0?)?\\(.*"
              + "|java/util/concurrent/locks/LockSupport\\.park.*"
              + "|jdk/internal/misc/Blocker\\.begin\\(.*");

  /** Native code that waits for data, a peer, a name, a process or a disk. */
  private static final Pattern ENTERS =
      Pattern.compile(
          "(java/io/|java/net/|java/lang/Process|sun/nio/|sun/net/|java/nio/Mapped).*\\."
              + "(read|write|pread|pwrite|accept|connect|open|receive|send|lookup|force|load|poll"
              + "|fork|sync|seek|transfer|getHost|getLocalHost|isReachable).*");

  private final Map<String, ClassModel> classes = new HashMap<>();
  private final Map<String, MethodModel> methods = new HashMap<>();
  private final Map<String, Set<String>> subtypes = new HashMap<>();
  private final Map<String, Set<String>> callers = new HashMap<>();
  private final Set<String> exported = new HashSet<>();

  /** Reads all classes of modules of the running JDK. */
  void addModule(String module) throws IOException {
    ModuleFinder.ofSystem().find(module).orElseThrow().descriptor().exports().stream()
        .filter(e -> !e.isQualified())
        .forEach(e -> exported.add(e.source().replace('.', '/')));
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        add(Files.readAllBytes(file));
      }
    }
  }

  /** Adds a class of a package that is exported. */
  void addPublic(Class<?> type) throws IOException {
    exported.add(type.getPackageName().replace('.', '/'));
    try (var in = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
      add(in.readAllBytes());
    }
  }

  private void add(byte[] file) {
    ClassModel model =
        ClassFile.of(
                ClassFile.DebugElementsOption.DROP_DEBUG,
                ClassFile.LineNumbersOption.DROP_LINE_NUMBERS,
                ClassFile.StackMapsOption.DROP_STACK_MAPS)
            .parse(file);
    String name = model.thisClass().asInternalName();
    classes.put(name, model);
    model.methods().forEach(m -> methods.put(name + "." + Facts.key(m), m));
    Stream.concat(model.superclass().stream(), model.interfaces().stream())
        .map(ClassEntry::asInternalName)
        .filter(s -> !s.equals("java/lang/Object"))
        .forEach(s -> subtypes.computeIfAbsent(s, k -> new HashSet<>()).add(name));
  }

  /** {@return class, method and descriptor of each, as they are written in class files} */
  SortedSet<String> sleeping() {
    methods.forEach(
        (from, method) ->
            method
                .code()
                .ifPresent(
                    code ->
                        code.forEach(
                            e -> {
                              if (e instanceof InvokeInstruction call) {
                                leads(call).forEach(to -> callers(to).add(from));
                              }
                            })));
    Set<String> reached =
        Stream.concat(methods.keySet().stream(), callers.keySet().stream())
            .filter(m -> WAITS.matcher(m).matches() || enters(m))
            .collect(Collectors.toCollection(HashSet::new));
    Queue<String> last = new ArrayDeque<>(reached);
    for (int depth = 0; depth < DEPTH; depth++) {
      Queue<String> next = new ArrayDeque<>();
      for (String method : last) {
        callers.getOrDefault(method, Set.of()).stream().filter(reached::add).forEach(next::add);
      }
      last = next;
    }
    return methods.keySet().stream()
        .filter(this::visible)
        .filter(m -> reached.contains(m) || implementations(m).stream().anyMatch(reached::contains))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Set<String> callers(String method) {
    return callers.computeIfAbsent(method, k -> new HashSet<>());
  }

  private boolean enters(String method) {
    MethodModel model = methods.get(method);
    return model != null
        && model.flags().has(AccessFlag.NATIVE)
        && ENTERS.matcher(method).matches();
  }

  private boolean visible(String method) {
    String owner = owner(method);
    String type = owner;
    for (int end = owner.length(); end > 0; end = type.lastIndexOf('$')) {
      type = owner.substring(0, end);
      if (classes.containsKey(type) && !classes.get(type).flags().has(AccessFlag.PUBLIC)) {
        return false;
      }
    }
    var flags = methods.get(method).flags();
    return exported.contains(folder(owner))
        && (flags.has(AccessFlag.PUBLIC) || flags.has(AccessFlag.PROTECTED))
        && !flags.has(AccessFlag.SYNTHETIC);
  }

  /** What implements a method without code, of a type whose methods may wait for others. */
  private Set<String> implementations(String method) {
    Set<String> found = new HashSet<>();
    String owner = owner(method);
    boolean waits =
        !classes.get(owner).flags().has(AccessFlag.INTERFACE)
            || owner.matches("java/(nio/channels|util/concurrent|net/http)/.*");
    if (waits && methods.get(method).flags().has(AccessFlag.ABSTRACT)) {
      overriders(owner, method.substring(owner.length()), "", found);
    }
    return found;
  }

  private Set<String> leads(InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String key = "." + call.name().stringValue() + call.type().stringValue();
    Set<String> found = new HashSet<>();
    found.add(declared(owner, key));
    boolean virtual =
        call.opcode() == Opcode.INVOKEVIRTUAL || call.opcode() == Opcode.INVOKEINTERFACE;
    if (virtual && !owner.equals("java/lang/Runnable")) {
      overriders(owner, key, folder(owner), found);
    }
    return found;
  }

  private String declared(String owner, String key) {
    ClassModel model = classes.get(owner);
    if (model == null || methods.containsKey(owner + key)) {
      return owner + key;
    }
    return Stream.concat(model.superclass().stream(), model.interfaces().stream())
        .map(s -> declared(s.asInternalName(), key))
        .filter(m -> methods.containsKey(m) || m.startsWith("java/lang/Object."))
        .findFirst()
        .orElse(owner + key);
  }

  private void overriders(String type, String key, String folder, Set<String> found) {
    for (String sub : subtypes.getOrDefault(type, Set.of())) {
      if (methods.containsKey(sub + key) && (folder.isEmpty() || folder(sub).equals(folder))) {
        found.add(sub + key);
      }
      overriders(sub, key, folder, found);
    }
  }

  private static String owner(String method) {
    return method.substring(0, method.indexOf('.'));
  }

  private static String folder(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('/')));
  }

  /** {@return those of no rule, each as class and method} */
  static SortedSet<String> unruled(SortedSet<String> methods, BlockingRules rules) {
    Hierarchy hierarchy = new Hierarchy(JdkCalls.class.getClassLoader());
    SortedSet<String> left = new TreeSet<>();
    for (String method : methods) {
      String name = method.substring(method.indexOf('.') + 1, method.indexOf('('));
      String key = name.equals("<init>") ? "new" : name;
      String descriptor = method.substring(method.indexOf('('));
      int parameters = MethodTypeDesc.ofDescriptor(descriptor).parameterCount();
      if (rules.find(hierarchy, owner(method), key, parameters).isEmpty()) {
        left.add(owner(method).replace('/', '.') + "." + key + "/" + parameters);
      }
    }
    return left;
  }
}
