package ib.tools.lesson;

import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.QpType;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One datagram for two members of a multicast group. */
final class MulticastLesson {
  private static final int QKEY = 0x11111111;
  private static final int DEFAULT_PARTITION = 0xffff;
  private static final Gid GROUP = Gid.parse("ff12:401b:ffff::e001:203");
  private static final long WAIT_S = 10;

  static final Lesson LESSON =
      new Lesson(
          "multicast",
          "multicast, one datagram for every member of a group",
          """
          Each port asks the subnet administrator to be a member of a group; the first
          creates it. The subnet manager gives the group a multicast LID and tells the
          switch which ports have members. lesson0 then sends one datagram to that LID,
          and the switch copies it for lesson1 and lesson2.""",
          MulticastLesson::run,
          List.of(Map.of(), Map.of(), Map.of()));

  private MulticastLesson() {}

  private static void run(Stage stage) {
    Party a = stage.party("lesson0", QpType.UD);
    Party b = stage.party("lesson1", QpType.UD);
    Party c = stage.party("lesson2", QpType.UD);
    for (Party each : List.of(a, b, c)) {
      each.ready(QKEY, 0);
    }
    stage.watch("lesson1", Filter.ALL);
    try (SaClient saOfA = SaClient.open(a.device, 1);
        SaClient saOfB = SaClient.open(b.device, 1);
        SaClient saOfC = SaClient.open(c.device, 1);
        SaMembership creator = join(saOfA);
        SaMembership first = join(saOfB);
        SaMembership second = join(saOfC)) {
      int mlid = first.record().value(Field.MLID);
      b.qp.attachMulticast(GROUP, mlid);
      c.qp.attachMulticast(GROUP, mlid);
      b.receive(7);
      c.receive(7);
      AhAttr way = AhAttr.ofLid(1, creator.record().value(Field.MLID), 0, GlobalRoute.to(GROUP, 0));
      try (AddressHandle to = a.pd.createAh(way)) {
        a.datagram(1, "to all of you", to, WellKnown.QPN_MULTICAST, QKEY);
        WorkCompletion sent = a.completion();
        stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
        for (Party each : List.of(b, c)) {
          WorkCompletion received = each.completion();
          stage.say(
              "%s: receive %d completed with %s: \"%s\"",
              each.device.name(), received.wrId(), received.status(), each.received(received));
        }
      } finally {
        stage.stop();
        b.qp.detachMulticast(GROUP, mlid);
        c.qp.detachMulticast(GROUP, mlid);
      }
      stage.lookAt("the group %s has the LID 0x%04x: 0xc000 and above are groups", GROUP, mlid);
      stage.lookAt(
          "SubnAdm Set of McMemberRecord: the join; its GetResp brings MLID and Q_Key (%s)",
          second.state());
      stage.lookAt("QP 0xffffff: every queue pair that is attached to the group gets a copy");
    }
  }

  private static SaMembership join(SaClient sa) {
    McMemberRecord wanted =
        new McMemberRecord()
            .set(Field.MGID, GROUP)
            .set(Field.JOIN_STATE, 1)
            .set(Field.QKEY, QKEY)
            .set(Field.PKEY, DEFAULT_PARTITION)
            .set(Field.TCLASS, 0)
            .set(Field.FLOW_LABEL, 0)
            .set(Field.SL, 0);
    CountDownLatch changed = new CountDownLatch(1);
    SaMembership membership = sa.multicast().join(wanted, (m, state, why) -> changed.countDown());
    boolean member = false;
    try {
      member =
          changed.await(WAIT_S, TimeUnit.SECONDS)
              && membership.state() == SaMembership.State.MEMBER;
    } catch (InterruptedException e) {
      throw Party.interrupted();
    } finally {
      if (!member) {
        membership.close();
      }
    }
    if (!member) {
      throw new CommandException("ib:lesson: " + sa.device() + " could not join " + GROUP);
    }
    return membership;
  }
}
