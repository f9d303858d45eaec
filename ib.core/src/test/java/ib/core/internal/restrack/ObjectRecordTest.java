package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.CoreRig;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The record of one object as the core itself uses it. */
@DisplayName("D2, B11: one record, from its admission to its end")
class ObjectRecordTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");
  private final Owner owner = device.owner();

  @AfterEach
  void nothingLeft() {
    assertEquals(0, rig.objects().live());
    assertEquals(0, owner.live());
    for (Quota q : Quota.values()) {
      assertEquals(0, owner.account.used(q), q.key());
    }
    rig.close();
  }

  private static ObjectRecord record(IbObject object) {
    return (ObjectRecord) object.control();
  }

  private static List<Thread> busy(ObjectRecord record) {
    List<Thread> threads = new ArrayList<>();
    record.busy(threads::add);
    return threads;
  }

  @Test
  @DisplayName("D2: a handle has its device's number, is live, and no thread is making it")
  void handle() {
    ObjectRecord handle = (ObjectRecord) owner.handle();
    assertEquals(device.info().index(), handle.id());
    assertTrue(device.info().index() > 0);
    assertTrue(handle.isLive());
    assertEquals(List.of(), busy(handle));
  }

  @Test
  @DisplayName("S32: the thread that makes an object is named until then, and not after its end")
  void busyThread() {
    ObjectRecord made = (ObjectRecord) owner.handle().child(Kind.PD);
    assertEquals(List.of(Thread.currentThread()), busy(made));
    made.abort();
    assertEquals(List.of(), busy(made));
    ProtectionDomain pd = device.allocPd();
    assertEquals(List.of(), busy(record(pd)));
    List<List<Thread>> meanwhile = new ArrayList<>();
    rig.fake().faults().at("destroyPD", () -> meanwhile.add(busy(record(pd))));
    pd.close();
    assertEquals(List.of(List.of(Thread.currentThread())), meanwhile);
    assertEquals(List.of(), busy(record(pd)));
    assertEquals("the end of PD 1 of fake0", new Closed(record(pd)).text());
  }

  @Test
  @DisplayName("S45: only queues have events; what guards a handler is not the handler itself")
  void events() {
    EventHandler handler = (e, c) -> {};
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(1));
    assertSame(handler, record(pd).guard(handler));
    assertNull(record(pd).guard(null));
    assertNull(record(cq).guard(null));
    assertFalse(handler.equals(record(cq).guard(handler)));
    IbEvent event = new IbEvent(device, EventType.CQ_ERR, null, 0, 0, 0);
    var e = assertThrows(IllegalStateException.class, () -> record(pd).raise(event));
    assertTrue(e.getMessage().startsWith("PD 0 of fake0 has no events"), e.getMessage());
    cq.close();
    pd.close();
  }

  @Test
  @DisplayName("D2: no object is made through a closed object, in any of the ways")
  void closedParent() {
    ProtectionDomain pd = device.allocPd();
    pd.close();
    var e = assertThrows(IbInvalidException.class, () -> pd.control().child(Kind.MR));
    assertTrue(e.getMessage().startsWith("PD 0 of fake0.create MR: the object is CLOSED"));
  }

  @Test
  @DisplayName("CC-20: what is admitted as the account closes is given back, and refused by name")
  void admittedTooLate() {
    owner.poison();
    var e = assertThrows(IbDisassociatedException.class, () -> owner.admit(Kind.MR, List.of()));
    assertTrue(e.getMessage().startsWith("create MR on fake0: client ulp is no longer bound"));
    assertEquals(List.of(), device.held());
  }

  @Test
  @DisplayName("A14: a record for which there is no memory leaves nothing in the accounts")
  void noRecord() {
    ObjectTable broken =
        new ObjectTable(
            "driver", rig.contract(), null, e -> {}, () -> Quotas.STANDARD, new WaitGraph());
    Owner poor = new Owner("poor", device, broken, 0);
    assertThrows(NullPointerException.class, () -> poor.admit(Kind.CQ, List.of()));
    assertEquals(0, poor.live());
    assertEquals(0, poor.account.used(Quota.CQ));
    assertEquals(0, broken.live());
  }

  @Test
  @DisplayName("CC-20: forced: an object that lives is gone, one that is being made is not yet")
  void forced() {
    ObjectRecord made = (ObjectRecord) owner.handle().child(Kind.PD);
    assertFalse(made.destroyForced());
    made.abort();
    ProtectionDomain pd = device.allocPd();
    assertTrue(record(pd).destroyForced());
    assertTrue(record(pd).destroyForced(), "a second time");
    assertEquals(1, rig.fake().faults().hits("destroyPD"));
  }
}
