package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.internal.hotplug.Limits;
import ib.core.spi.DeviceRegistration;
import ib.core.testing.FakeDevice;
import ib.core.testing.Thrown;
import ib.core.testing.Wait;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers that hold a lock of their methods across registration or removal, and better ones. */
@DisplayName("S30: no lock of the driver's methods is held across registration and removal")
class LockCheckTest {
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT);
  private final FakeDevice device = new FakeDevice("fake0");
  private final ReentrantLock lock = new ReentrantLock();
  private final Object monitor = new Object();

  @AfterEach
  void close() {
    midlayer.close();
  }

  private void takesLock(String op) {
    device
        .faults()
        .at(
            op,
            () -> {
              lock.lock();
              lock.unlock();
            });
  }

  private void takesMonitor(String op) {
    device
        .faults()
        .at(
            op,
            () -> {
              synchronized (monitor) {
                assertTrue(Thread.holdsLock(monitor));
              }
            });
  }

  private Violation only() {
    List<Violation> all = midlayer.violations();
    assertEquals(List.of("S30"), all.stream().map(Violation::clause).toList());
    return all.getFirst();
  }

  private static void assertMentions(List<String> stack, String frame) {
    assertTrue(stack.stream().anyMatch(f -> f.contains(frame)), frame + " not in " + stack);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queryPort",
        "queryGid",
        "allocPd",
        "createCq",
        "createQp",
        "destroyPD",
        "doModify",
        "postReceive",
        "postSend",
        "poll",
        "requestNotify"
      })
  @DisplayName("S30: broken: a monitor that a method takes is held across register: both stacks")
  void monitorAcrossRegister(String op) {
    takesMonitor(op);
    List<String> told = new ArrayList<>();
    midlayer.registerClient(new Told(told));
    synchronized (monitor) {
      IbContractException e =
          assertThrows(IbContractException.class, () -> midlayer.register(device));
      assertTrue(e.getMessage().contains("S30"), e.getMessage());
    }
    Violation v = only();
    assertEquals("ib.core.testing", v.culprit());
    assertTrue(v.text().contains("java.lang.Object"), v.text());
    assertMentions(v.stack(), "LockCheckTest.monitorAcrossRegister");
    assertMentions(v.otherStack(), "LockCheckTest");
    assertEquals(List.of(), told, "no client sees such a device");
    Wait.until(() -> device.live() == 0); // the call that was waiting ends, and nothing is left
    midlayer.register(device).unregister();
    assertEquals(List.of("add", "remove"), told);
    only();
  }

  static Stream<Throwable> kinds() {
    return Thrown.kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName(
      "D21, S27: whatever a driver throws in its probe refuses the device; nothing is left")
  void thrown(Throwable what) {
    Runnable hook =
        () -> {
          throw Thrown.<RuntimeException>sneak(what);
        };
    device.faults().at("doModify", hook);
    RuntimeException e = assertThrows(RuntimeException.class, () -> midlayer.register(device));
    assertSame(what, e.equals(what) ? e : e.getCause());
    assertEquals(List.of(), midlayer.devices());
    assertEquals(0, device.live());
    device.faults().clear();
    midlayer.register(device).unregister();
    assertEquals(List.of(), midlayer.violations());
  }

  @Test
  @DisplayName(
      "S30: broken: a lock that a method takes is held across unregister: it goes all the same")
  void lockAcrossUnregister() {
    takesLock("allocPd");
    DeviceRegistration registration = midlayer.register(device);
    assertEquals(List.of(), midlayer.violations());
    lock.lock();
    try {
      registration.unregister();
    } finally {
      lock.unlock();
    }
    Violation v = only();
    assertTrue(v.text().contains("ReentrantLock"), v.text());
    assertMentions(v.stack(), "LockCheckTest.lockAcrossUnregister");
    assertMentions(v.otherStack(), "FakeOps.allocPd");
    assertEquals(List.of(), midlayer.devices());
    Wait.until(() -> device.live() == 0);
  }

  @Test
  @DisplayName("S30: broken: a semaphore, which has no owner, is found when the limit has passed")
  void semaphoreAcrossRegister() {
    Limits quick = new Limits(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.MINUTES.toNanos(10));
    Semaphore semaphore = new Semaphore(0);
    device
        .faults()
        .at(
            "queryPkey",
            () -> {
              semaphore.acquireUninterruptibly();
              semaphore.release();
            });
    try (Midlayer impatient = new Midlayer(quick)) {
      assertThrows(IbContractException.class, () -> impatient.register(device));
      Violation v = impatient.violations().getFirst();
      assertEquals("S30", v.clause());
      assertTrue(v.text().contains("Semaphore"), v.text());
      assertMentions(v.otherStack(), "FakeOps.queryPkey");
    }
    semaphore.release();
    Wait.until(() -> device.live() == 0);
  }

  @Test
  @DisplayName("S30: correct: a lock that no method takes may be held; methods may have locks")
  void correctDriver() {
    takesLock("allocPd");
    takesMonitor("queryPort");
    ReentrantLock list = new ReentrantLock(); // of the driver's list of devices
    list.lock();
    try {
      midlayer.register(device).unregister();
    } finally {
      list.unlock();
    }
    assertEquals(List.of(), midlayer.violations());
    assertEquals(0, device.live());
  }

  @Test
  @DisplayName("S30, 2.6-8c: an interrupted caller is tried all the same and stays interrupted")
  void interrupted() {
    Thread.currentThread().interrupt();
    DeviceRegistration registration = midlayer.register(device);
    assertTrue(Thread.interrupted());
    registration.unregister();
    assertEquals(List.of(), midlayer.violations());
  }

  private record Told(List<String> told) implements IbClient {
    @Override
    public String name() {
      return "client";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      told.add("add");
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      told.add("remove");
    }
  }
}
