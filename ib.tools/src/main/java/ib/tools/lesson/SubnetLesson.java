package ib.tools.lesson;

import ib.core.client.IbCore;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import ib.core.spi.PacketCapture.Filter;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PortAttr;
import ib.tools.fabric.Commands;
import ib.tools.getopt.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The way to a peer: nodes by directed routes, the LID from the subnet administrator. */
final class SubnetLesson {
  private static final long WAIT_S = 10;

  static final Lesson LESSON =
      new Lesson(
          "subnet",
          "the subnet manager, and the LIDs that it gives",
          """
          A port has a GUID for ever; its LID, by which switches route, comes from the
          subnet manager. A manager explores a subnet by directed routes, which name the
          port to leave each node by and need no LID. lesson0 does so here (0,1 is the
          switch at its port 1; 0,1,2 the node at port 2 of that switch), then asks the
          subnet administrator for the path to lesson1's GID, and talks to lesson1 by the
          LID in the answer. Last, its cable is pulled out and put in again: the manager
          gives the port the LID that it had.""",
          SubnetLesson::run,
          Lesson.TWO);

  private SubnetLesson() {}

  private static void run(Stage stage) {
    IbDevice own = stage.fabric.device("lesson0");
    IbDevice peer = stage.fabric.device("lesson1");
    IbCore core = stage.fabric.core();
    PortAttr before = own.queryPort(1);
    stage.watch("lesson0", Filter.ALL);
    for (String route : List.of("0,1", "0,1,2")) {
      smpquery(stage, core, "-D", "nodedesc", route);
    }
    int lid = lid(own, peer);
    stage.say("subnet administrator: the LID of %s is %d", peer.gid(1, 0), lid);
    smpquery(stage, core, "nodedesc", "" + lid);
    List<Seen> packets = stage.stop();
    stage.fabric.set("lesson0", "link", "down");
    PortAttr down = own.queryPort(1);
    stage.fabric.set("lesson0", "link", "up");
    PortAttr after = stage.awaitActive(own);
    say(stage, "with its cable", before);
    say(stage, "without", down);
    say(stage, "with it again", after);
    stage.lookAt("LID 65535 and \"Subn (directed)\" in packet 1: each node on the way handles it");
    stage.lookAt("\"SubnAdm Get of PathRecord\": from the GID to the LID");
    stage.lookAt(
        "\"Subn (by LID)\" in packet %d: to LID %d, as every packet of a program is",
        packets.size(), before.lid());
  }

  private static void smpquery(Stage stage, IbCore core, String... args) {
    List<String> line = new ArrayList<>(List.of("-C", "lesson0"));
    line.addAll(List.of(args));
    String answer = Commands.SMPQUERY.run(core, line.toArray(String[]::new));
    stage.say("smpquery %s: %s", String.join(" ", args), answer.strip().replaceAll("[.]+", " "));
  }

  private static int lid(IbDevice own, IbDevice peer) {
    PathRecord wanted =
        new PathRecord()
            .set(PathRecord.Field.SGID, own.gid(1, 0))
            .set(PathRecord.Field.DGID, peer.gid(1, 0))
            .set(PathRecord.Field.NUMB_PATH, 1);
    try (SaClient sa = SaClient.open(own, 1)) {
      return sa.get(wanted).get(WAIT_S, TimeUnit.SECONDS).value(PathRecord.Field.DLID);
    } catch (InterruptedException e) {
      throw Party.interrupted();
    } catch (ExecutionException | TimeoutException e) {
      throw new CommandException("ib:lesson: the subnet administrator has not answered", e);
    }
  }

  private static void say(Stage stage, String when, PortAttr port) {
    stage.say("lesson0 %s: state %s, LID %d", when, port.state(), port.lid());
  }
}
