package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The clauses about the shape of the API itself. */
class ContractShapeTest {
  private static List<Class<?>> parameters(Class<?> type, String name) {
    Method method =
        Arrays.stream(type.getDeclaredMethods())
            .filter(m -> m.getName().equals(name) && !m.isSynthetic())
            .findFirst()
            .orElseThrow();
    return List.of(method.getParameterTypes());
  }

  @Test
  @DisplayName("S35: add and remove get the device alone, and remove gets the client's own data")
  void client() {
    assertEquals(List.of(IbDevice.class), parameters(IbClient.class, "add"));
    assertEquals(List.of(IbDevice.class, Object.class), parameters(IbClient.class, "remove"));
  }

  @Test
  @DisplayName("S42, S46, S52: unaffiliated events come without a context, affiliated ones with it")
  void handlers() {
    assertEquals(List.of(IbEvent.class), parameters(IbEventHandler.class, "handle"));
    assertTrue(Modifier.isAbstract(IbEventHandler.class.getModifiers()), "state goes into it");
    assertEquals(List.of(IbEvent.class, Object.class), parameters(EventHandler.class, "handle"));
    assertEquals(
        List.of(CompletionQueue.class, Object.class), parameters(CompHandler.class, "complete"));
  }

  @Test
  @DisplayName("S50: a queue pair tells its device, domain, queues, handler, context and number")
  void queuePair() {
    try (CoreRig rig = new CoreRig()) {
      BoundDevice device = rig.bind("ulp");
      ProtectionDomain pd = device.allocPd();
      CompletionQueue send = device.createCq(new CqInit(8));
      CompletionQueue recv = device.createCq(new CqInit(8));
      EventHandler handler = (e, c) -> {};
      Object context = new Object();
      QpInit init =
          new QpInit(QpType.RC, send, Objects7.CAP)
              .withRecvCq(recv)
              .withEventHandler(handler, context);
      try (QueuePair qp = pd.createQp(init)) {
        assertSame(device, qp.device());
        assertSame(pd, qp.pd());
        assertSame(send, qp.init().sendCq());
        assertSame(recv, qp.init().recvCq());
        assertNull(qp.init().srq());
        assertSame(context, qp.init().context());
        assertTrue(qp.qpn() > 0 && qp.qpn() < 1 << 24, "24 bits");
      }
      send.close();
      recv.close();
      pd.close();
    }
  }

  @Test
  @DisplayName("S16, S17: what a caller has to serialize says so in the class file: nothing else")
  void notThreadSafe() throws Exception {
    Set<String> marked = new TreeSet<>();
    Path classes =
        Path.of(QueuePair.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    for (String place : List.of("ib/core/verbs", "ib/core/sa")) {
      try (Stream<Path> files = Files.list(classes.resolve(place))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          marked(file, marked);
        }
      }
    }
    assertEquals(
        Set.of(
            "CompletionQueue.endPoll",
            "CompletionQueue.nextPoll",
            "CompletionQueue.readCurrent",
            "CompletionQueue.startPoll",
            "MemoryWork",
            "PortAttr$Builder",
            "QpAttr",
            "RecvWr",
            "SendWr",
            "WorkCompletion",
            "WrBuilder.wrAbort",
            "WrBuilder.wrComplete",
            "WrBuilder.wrStart",
            "SaRecord.componentMask",
            "SaRecord.read",
            "SaRecord.set"),
        marked);
  }

  private static void marked(Path file, Set<String> into) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      ClassModel model = ClassFile.of().parse(in.readAllBytes());
      String type = file.getFileName().toString().replace(".class", "");
      if (says(model)) {
        into.add(type);
      }
      for (MethodModel m : model.methods()) {
        if (says(m)) {
          into.add(type + "." + m.methodName().stringValue());
        }
      }
    }
  }

  private static boolean says(AttributedElement element) {
    return element.findAttribute(Attributes.runtimeInvisibleAnnotations()).stream()
        .flatMap(a -> a.annotations().stream())
        .anyMatch(a -> a.className().stringValue().equals("Lib/core/verbs/NotThreadSafe;"));
  }
}
