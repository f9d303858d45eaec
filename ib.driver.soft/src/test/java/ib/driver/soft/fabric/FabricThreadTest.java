package ib.driver.soft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.Smp;
import ib.core.verbs.NodeType;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.Node;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The thread that carries management datagrams")
@Timeout(600)
final class FabricThreadTest {
  private static final Runnable NOTHING = () -> {};

  /** Manages nothing; does something when its time has come. */
  private static final class Idle extends NoSm {
    private final long madeNs = System.nanoTime();
    private volatile Runnable turn = NOTHING;

    Idle(Subnet subnet) {
      super(subnet);
    }

    @Override
    public long dueNs() {
      return turn.equals(NOTHING) ? Long.MAX_VALUE : madeNs;
    }

    @Override
    public void tick() {
      turn.run();
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> Error sneak(Throwable t) throws T {
    throw (T) t;
  }

  private static boolean runs() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(t -> t.getName().equals("ib-fabric") && t.isAlive());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.MINUTES), "it goes on");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        IndexOutOfBoundsException.class,
        OutOfMemoryError.class,
        StackOverflowError.class,
        Exception.class
      })
  @DisplayName("A1 A13 a manager's turn throws: counted, and the next turn and other subnets run")
  void managerThrows(Class<? extends Throwable> what) throws ReflectiveOperationException {
    Throwable thrown = what.getDeclaredConstructor().newInstance();
    List<Idle> made = new ArrayList<>();
    Fabric fabric =
        new Fabric(
            subnet -> {
              made.add(new Idle(subnet));
              return made.getLast();
            });
    List<FabricPort> ports = List.of(fabric.open("sw0"), fabric.open("sw1"));
    Idle bad = made.getFirst();
    Idle good = made.getLast();
    try {
      CountDownLatch bads = new CountDownLatch(3);
      CountDownLatch goods = new CountDownLatch(3);
      bad.turn =
          () -> {
            bads.countDown();
            sneak(thrown);
          };
      good.turn = goods::countDown;
      fabric.wake();
      await(bads);
      await(goods);
      assertTrue(fabric.incidents().outlived() >= 2);
    } finally {
      bad.turn = NOTHING;
      good.turn = NOTHING;
      ports.forEach(FabricPort::close);
    }
  }

  @Test
  @DisplayName("A1 a datagram whose consumer throws: the next one is carried, the caller is spared")
  void consumerThrows() {
    Fabric fabric = new Fabric(NoSm::new);
    FabricPort port = fabric.open("sw0");
    try {
      AtomicInteger taken = new AtomicInteger();
      synchronized (fabric) {
        Subnet subnet = port.subnet();
        subnet.add(
            port.place(),
            (at, d) -> {
              if (taken.getAndIncrement() == 0) {
                throw new IllegalStateException("a defect");
              }
              return true;
            });
        for (int i = 0; i < 2; i++) {
          subnet.send(port.place(), toItself());
        }
        subnet.carry();
      }
      assertEquals(2, taken.get());
      assertEquals(1, fabric.incidents().outlived());
    } finally {
      port.close();
    }
  }

  @Test
  @DisplayName("A9 two adapters back to back keep the thread when an unrelated device goes")
  void withoutSwitch() {
    Fabric fabric = BuiltinSm.newFabric();
    Node one = new Node(NodeType.CA, 0x10, 1, "one");
    Node two = new Node(NodeType.CA, 0x20, 1, "two");
    one.port(1).cable(two.port(1));
    Subnet subnet = fabric.describe("back to back", List.of(one, two));
    List<FabricPort> ends =
        List.of(
            fabric.plug("one", 0x10, 1, "sw0").getFirst(),
            fabric.plug("two", 0x20, 1, "sw0").getFirst());
    try {
      fabric.open("sw9").close();
      assertTrue(runs());
      CountDownLatch carried = new CountDownLatch(1);
      synchronized (fabric) {
        subnet.send(ends.getFirst().place(), asked(carried, subnet, ends.getFirst()));
      }
      fabric.wake();
      await(carried);
    } finally {
      ends.forEach(FabricPort::close);
      fabric.forget(subnet);
    }
    assertEquals(0, fabric.size());
  }

  /** A datagram of a port to itself that counts the latch down when it is carried. */
  private static Datagram asked(CountDownLatch carried, Subnet subnet, FabricPort port) {
    subnet.add(
        port.place(),
        (at, d) -> {
          carried.countDown();
          return true;
        });
    return toItself();
  }

  /** On a directed route without hops. */
  private static Datagram toItself() {
    Datagram d = new Datagram(MemorySegment.ofArray(new byte[256]));
    Smp.MGMT_CLASS.set(d.mad, Smp.CLASS_DIRECTED);
    d.dlid = Smp.PERMISSIVE_LID;
    return d;
  }
}
