package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.LeakRecord;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbObject;
import ib.core.verbs.MwType;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random makes and closes from many threads; what is left is exactly what a simple model says. */
@Tag("finding")
@DisplayName("I8, B11: property: live objects")
class ObjectModelTest {
  private static final int THREADS = 4;
  private static final int STEPS = 1500;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  @DisplayName("I8: counts agree with the model, and are 0 after the sweep")
  void i8CountsAgreeWithTheModel(long seed) {
    try (CoreRig rig = new CoreRig()) {
      BoundDevice device = rig.bind("ulp");
      Random faults = new Random(seed);
      for (String op :
          List.of("createQp", "registerMemory", "createAh", "createSrq", "destroyMR")) {
        rig.fake()
            .faults()
            .at(
                op,
                () -> {
                  if (faults.nextInt(10) == 0) {
                    throw new IbNoMemoryException(op, "planted", "");
                  }
                });
      }
      ConcurrentLinkedQueue<IbObject> open = new ConcurrentLinkedQueue<>();
      List<Future<?>> workers = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Random random = new Random(seed * 31 + t);
        workers.add(Wait.start(() -> work(device, random, open)));
      }
      workers.forEach(Wait::end);
      rig.fake().faults().clear();
      check(rig, device, open);
    }
  }

  private static void work(
      BoundDevice device, Random random, ConcurrentLinkedQueue<IbObject> open) {
    for (int i = 0; i < STEPS; i++) {
      try {
        if (random.nextInt(5) < 2) {
          close(open);
        } else {
          open.add(make(device, random, open));
        }
      } catch (IbInvalidException | IbNoMemoryException expected) {
        // a queue or domain that another thread was just closing, or a planted fault: nothing was
        // made
        assertTrue(expected.errno() != null);
      }
    }
  }

  private static void close(ConcurrentLinkedQueue<IbObject> open) {
    IbObject object = open.poll();
    if (object != null) {
      try {
        object.close();
      } catch (IbBusyException e) {
        open.add(object);
      }
    }
  }

  private static IbObject make(BoundDevice d, Random r, ConcurrentLinkedQueue<IbObject> open) {
    ProtectionDomain pd = any(ProtectionDomain.class, open);
    CompletionQueue cq = any(CompletionQueue.class, open);
    int kind = r.nextInt(8);
    if (pd == null || kind == 0) {
      return d.allocPd();
    }
    if (cq == null || kind == 1) {
      return d.createCq(new CqInit(1));
    }
    return switch (kind) {
      case 2 -> pd.allocMemory(64, 8, Access.LOCAL_WRITE);
      case 3 -> pd.allocWindow(MwType.TYPE_2);
      case 4 -> pd.createAh(Objects7.ADDRESS);
      case 5 -> Objects7.srq(pd);
      default -> pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    };
  }

  private static <T extends IbObject> T any(Class<T> type, ConcurrentLinkedQueue<IbObject> open) {
    return open.stream().filter(type::isInstance).map(type::cast).findFirst().orElse(null);
  }

  private static void check(CoreRig rig, BoundDevice device, ConcurrentLinkedQueue<IbObject> open) {
    assertEquals(open.size(), rig.objects().live());
    assertEquals(open.size(), rig.fake().live());
    assertEquals(open.size(), device.held().size());
    for (IbObject o : open) {
      assertTrue(o.control().isLive(), o.toString());
      long users = open.stream().filter(u -> uses(u, o)).count();
      assertEquals(users, o.users().size(), o.toString());
    }
    List<LeakRecord> leaks = device.sweepAndPoison();
    assertEquals(open.size(), leaks.size());
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
    assertEquals(0, rig.fake().doubleDestroys());
    for (IbObject o : open) {
      assertEquals(0, o.useCount(), o.toString());
    }
  }

  private static boolean uses(IbObject user, IbObject used) {
    return user.control() instanceof ObjectRecord u
        && used.control() instanceof ObjectRecord b
        && u.uses.contains(b);
  }
}
