package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Errno;
import ib.core.verbs.Gid;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The objects that keep others alive (API 5.4), and the error of a destroy while in use. */
@DisplayName("S48, API 5.4: reference counts and EBUSY")
class ReferenceTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void nothingLeft() {
    device.sweepAndPoison();
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
    assertEquals(0, rig.fake().doubleDestroys());
    rig.close();
  }

  @Test
  @DisplayName("S48: usecnt counts both work queues of a queue pair")
  void s48UseCountOfOneQueueForBothDirections() {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    assertEquals(0, cq.useCount());
    QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    assertEquals(2, cq.useCount());
    assertEquals(1, pd.useCount());
    assertEquals(List.of(qp), cq.users());
    qp.close();
    assertEquals(0, cq.useCount());
    assertEquals(List.of(), cq.users());
  }

  @Test
  @DisplayName("5.4: PD <- AH, MR, MW, QP, SRQ; SRQ <- QP")
  void everyEdgeOfTheReferenceGraph() {
    Objects7 o = Objects7.of(device);
    assertEquals(5, o.pd().useCount());
    assertEquals(2, o.cq().useCount());
    assertEquals(1, o.srq().useCount());
    assertEquals(List.of(o.qp()), o.srq().users());
    assertEquals(7, rig.objects().live());
    assertEquals(1, rig.objects().live(Kind.MW));
    assertThrows(IbBusyException.class, o.pd()::close);
    assertThrows(IbBusyException.class, o.srq()::close);
    o.close();
    assertEquals(0, rig.objects().live());
    assertEquals(List.of(), device.held());
  }

  @Test
  @DisplayName("5.4: QP <- multicast attach: EBUSY names the group; detached, it closes")
  void multicastPins() {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    QueuePair qp = pd.createQp(new QpInit(QpType.UD, cq, Objects7.CAP));
    Gid group = new Gid(0xff12_401b_ffff_0000L, 1);
    qp.attachMulticast(group, 0xc001);
    assertEquals(1, qp.useCount());
    IbBusyException e = assertThrows(IbBusyException.class, qp::close);
    assertTrue(e.getMessage().contains(group.toString()), e.getMessage());
    qp.detachMulticast(group, 0xc001);
    assertEquals(0, qp.useCount());
    qp.close();
    qp.close();
  }

  @Test
  @DisplayName("B9: while the driver destroys a queue pair, what it uses is in use, and counted")
  void referencesOutliveTheDestruction() {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    QueuePair qp = pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP));
    List<String> seen = new ArrayList<>();
    rig.fake()
        .faults()
        .at(
            "destroy" + Kind.QP,
            () ->
                seen.add(
                    pd.useCount()
                        + ", "
                        + cq.useCount()
                        + ", "
                        + rig.objects().live(Kind.QP)
                        + ", "
                        + device.owner().account.used(Quota.QP)));
    qp.close();
    assertEquals(List.of("1, 2, 1, 1"), seen);
    assertEquals(0, device.owner().account.used(Quota.QP));
    cq.close();
    pd.close();
  }

  @Test
  @DisplayName("D2: a closed shared receive queue answers no query")
  void closedSrq() {
    SharedReceiveQueue srq =
        device.allocPd().createSrq(new SrqInit(new SrqAttr(16, 1, 0), null, null));
    srq.close();
    assertThrows(IbInvalidException.class, srq::query);
  }

  @Test
  @DisplayName("S48: EBUSY names the users")
  void s48BusyNamesTheUsers() {
    Objects7 o = Objects7.of(device);
    IbBusyException e = assertThrows(IbBusyException.class, o.cq()::close);
    assertEquals(Errno.EBUSY, e.errno());
    assertEquals(List.of("QP 0 (qpn 0x4df286)"), e.users());
    assertTrue(e.getMessage().startsWith("CQ 0 of fake0.close: in use by QP 0 (qpn 0x4df286)"));
    assertTrue(o.cq().control().isLive());
    assertEquals(0, rig.fake().faults().hits("destroyCQ"));
  }

  @Test
  @DisplayName("D2: a second close does nothing, use after close is EINVAL")
  void closedObjectsRefuse() {
    Objects7 o = Objects7.of(device);
    o.close();
    o.qp().close();
    o.pd().close();
    assertEquals(1, rig.fake().faults().hits("destroyQP"));
    assertThrows(IbInvalidException.class, o.qp()::query);
    assertThrows(IbInvalidException.class, () -> o.pd().createAh(Objects7.ADDRESS));
    assertThrows(IbInvalidException.class, () -> o.pd().allocMemory(8, 8, Access.LOCAL_WRITE));
    assertFalse(o.qp().control().isLive());
  }

  @Test
  @DisplayName("S51: queues that are missing, closed, or of another device or client are EINVAL")
  void foreignObjectsAreRefused() {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue own = device.createCq(new CqInit(16));
    try (CoreRig other = new CoreRig()) {
      CompletionQueue foreign = other.bind("ulp").createCq(new CqInit(16));
      refused(pd, foreign, "belongs to another device");
      foreign.close();
    }
    BoundDevice neighbour = rig.bind("neighbour");
    CompletionQueue theirs = neighbour.createCq(new CqInit(16));
    refused(pd, theirs, "belongs to client neighbour");
    theirs.close();
    refused(pd, null, "recvCq is null");
    own.close();
    refused(pd, own, "CLOSED");
    assertEquals(0, pd.useCount());
  }

  private void refused(ProtectionDomain pd, CompletionQueue cq, String why) {
    CompletionQueue good = device.createCq(new CqInit(16));
    QpInit init = new QpInit(QpType.RC, good, Objects7.CAP).withRecvCq(cq);
    IbInvalidException e = assertThrows(IbInvalidException.class, () -> pd.createQp(init));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertEquals(0, good.useCount());
    good.close();
  }

  @Test
  @DisplayName("S51: a special queue pair names its port, others do not")
  void s51PortOfSpecialQueuePairs() {
    Objects7 o = Objects7.of(device);
    QpInit smi = new QpInit(QpType.SMI, o.cq(), Objects7.CAP);
    assertThrows(IbInvalidException.class, () -> o.pd().createQp(smi));
    assertThrows(IbInvalidException.class, () -> o.pd().createQp(smi.withPort(2)));
    QpInit rc = new QpInit(QpType.RC, o.cq(), Objects7.CAP).withPort(1);
    assertThrows(IbInvalidException.class, () -> o.pd().createQp(rc));
    assertEquals(2, o.cq().useCount());
    o.pd().createQp(smi.withPort(1)).close();
  }

  @Test
  @DisplayName("5.4: the SRQ of a queue pair may be of another domain, and keeps that domain alive")
  void sharedReceiveQueueOfAnotherDomain() {
    ProtectionDomain one = device.allocPd();
    ProtectionDomain two = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    SharedReceiveQueue srq = Objects7.srq(two);
    QueuePair qp = one.createQp(new QpInit(QpType.RC, cq, Objects7.CAP).withSrq(srq));
    assertThrows(IbBusyException.class, two::close);
    assertThrows(IbBusyException.class, srq::close);
    assertSame(device, qp.device());
  }
}
