package ib.tools.lesson;

import ib.cm.CmClient;
import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.QpSteps;
import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection that the connection manager makes and ends. */
final class ConnectionLesson {
  private static final long SERVICE = 0x1000_0000_0000_0012L;
  private static final long WAIT_S = 10;
  private static final byte[] NONE = {};

  /** An event and the connection that it is of. */
  private record Heard(CmConnection connection, CmEvent event) {}

  /** One side: its queue pair and what its connection has reported. */
  private record Side(Party party, CmPath path, CmEndpoint mine, BlockingQueue<Heard> events) {
    static Side of(Party party, CmPath path) {
      party.qp.modify(QpSteps.init(path, 0));
      CmEndpoint mine = CmEndpoint.of(party.qp.qpn(), QueuePair.randomPsn());
      return new Side(party, path, mine, new LinkedBlockingQueue<>());
    }

    void connect(CmPath way, CmEndpoint peer, CmTerms terms) {
      party.qp.modify(QpSteps.rtr(way, mine, peer));
      party.qp.modify(QpSteps.rts(mine, peer, terms));
    }

    void heard(CmConnection connection, CmEvent event) {
      events.add(new Heard(connection, event));
    }

    <E extends CmEvent> E await(Class<E> kind) {
      return kind.cast(next(kind).event());
    }

    Heard next(Class<? extends CmEvent> kind) {
      Heard next;
      try {
        next = events.poll(WAIT_S, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw Party.interrupted();
      }
      check(next, kind);
      return next;
    }

    private static void check(@Nullable Heard heard, Class<? extends CmEvent> kind) {
      if (heard == null || !kind.isInstance(heard.event())) {
        throw new CommandException(
            "ib:lesson: no "
                + kind.getSimpleName()
                + (heard == null ? "" : " but " + heard.event()));
      }
    }
  }

  static final Lesson LESSON =
      new Lesson(
          "connection",
          "a connection: REQ, REP, RTU, and its end",
          """
          Until now one program knew both ends. Here lesson1 listens to a service ID, and
          lesson0 knows no more than that and the way. Their connection managers exchange
          what the queue pairs must know of each other, by datagrams to queue pair 1: REQ
          has the number of lesson0's queue pair and its first PSN, REP has those of
          lesson1, RTU says ready to use. One message follows; DREQ and DREP end it.""",
          ConnectionLesson::run,
          Lesson.TWO);

  private ConnectionLesson() {}

  private static void run(Stage stage) {
    CmClient manager = CmClient.create();
    stage.register(manager);
    Party a = stage.party("lesson0", QpType.RC);
    Party b = stage.party("lesson1", QpType.RC);
    CmPath way = CmPath.inSubnet(a.device, 1, b.lid(), b.device.gid(1, 0));
    Side active = Side.of(a, way);
    Side passive = Side.of(b, CmPath.inSubnet(b.device, 1, a.lid(), a.device.gid(1, 0)));
    b.receive(7);
    try (CmPort client = manager.open("lesson0", 1);
        CmPort server = manager.open("lesson1", 1);
        CmListener listener = server.listen(SERVICE, 1, passive::heard)) {
      stage.watch("lesson0", Filter.ALL);
      CmConnection connection =
          client.connect(
              listener.serviceId(),
              way,
              active.mine(),
              CmTerms.DEFAULT,
              text("hello"),
              active::heard);
      Heard request = passive.next(CmEvent.Requested.class);
      CmEvent.Requested asked = (CmEvent.Requested) request.event();
      passive.connect(asked.path(), asked.peer(), asked.terms());
      request.connection().accept(passive.mine(), text("welcome"));
      CmEvent.Replied reply = active.await(CmEvent.Replied.class);
      active.connect(way, reply.peer(), CmTerms.DEFAULT);
      connection.ready(NONE);
      passive.await(CmEvent.Established.class);
      a.send(1, "we are connected");
      WorkCompletion sent = a.completion();
      WorkCompletion received = b.completion();
      active.await(CmEvent.Established.class);
      connection.disconnect(NONE);
      CmEvent.Ended end = active.await(CmEvent.Ended.class);
      passive.await(CmEvent.Ended.class);
      stage.stop();
      a.qp.modify(new QpAttr().state(QpState.ERR));
      b.qp.modify(new QpAttr().state(QpState.ERR));
      stage.say(
          "lesson1: a request with \"%s\" for service 0x%016x",
          string(asked.privateData()), asked.serviceId());
      stage.say("lesson0: accepted, with \"%s\"", string(reply.privateData()));
      stage.say("lesson0: request %d completed with %s", sent.wrId(), sent.status());
      stage.say(
          "lesson1: receive %d completed with %s: \"%s\"",
          received.wrId(), received.status(), b.received(received));
      stage.say("lesson0: the connection has ended: %s", end.how());
      stage.lookAt("QP 0x000001: the messages of connection managers go to queue pair 1");
      stage.lookAt(
          "PSN 0x%06x of the SEND: the REP said it, so the receiver knows what to expect",
          passive.mine().startingPsn());
      stage.lookAt("the SEND names QP 0x%06x, which the REP has brought", b.qp.qpn());
    }
  }

  private static byte[] text(String words) {
    return words.getBytes(StandardCharsets.US_ASCII);
  }

  /** Private data is a whole field, with zeros behind the text. */
  private static String string(byte[] field) {
    return new String(field, StandardCharsets.US_ASCII).replaceAll("\\x00+$", "");
  }
}
