package ib.core.internal.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.AskingDevice;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.verbs.CqInit;
import ib.core.verbs.ObjectControl;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S20: which method is a driver's verb")
class CallChainTest {
  private final List<@Nullable String> verbs = new ArrayList<>();

  private void look() {
    verbs.add(CallChain.verbBelow());
  }

  private void only(String part) {
    assertEquals(1, verbs.size());
    String verb = verbs.getFirst();
    assertNotNull(verb);
    assertTrue(verb.contains(part), verb);
  }

  @Test
  @DisplayName("S20: an operation of a device is one")
  void operation() {
    FakeDevice device = new FakeDevice("fake0");
    device.faults().at("queryPort", this::look);
    device.ops().queryPort(1);
    only("FakeOps.queryPort");
  }

  @Test
  @DisplayName("S20: a method of a driver's device is one")
  void device() {
    new AskingDevice("fake0", this::look).ops();
    only("AskingDevice.ops");
  }

  @Test
  @DisplayName("S22: a method of the same name, of a class that is no driver's, is none")
  void namesake() throws IOException {
    OutputStream inner =
        new OutputStream() {
          @Override
          public void write(int b) {}

          @Override
          public void close() {
            look();
          }
        };
    new BufferedOutputStream(inner).close();
    assertEquals(1, verbs.size());
    assertNull(verbs.getFirst());
  }

  @Test
  @DisplayName("S20: the part of a verbs object that is the core's is none")
  void core() {
    ObjectControl control =
        (ObjectControl)
            Proxy.newProxyInstance(
                CallChainTest.class.getClassLoader(),
                new Class<?>[] {ObjectControl.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("destroy")) {
                    look();
                  }
                  return null;
                });
    new FakeCq(control, new FakeDevice("fake0"), new CqInit(1)).close();
    assertEquals(1, verbs.size());
    assertNull(verbs.getFirst());
  }
}
