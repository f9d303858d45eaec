package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 3, section 4: Flight Recorder events of a queue pair's life")
class TraceTest {
  private static final long GUID = 0x7ace_0000_0010L;

  private static List<RecordedEvent> of(List<RecordedEvent> all, String name) {
    String device = String.format("%016x", GUID);
    return all.stream()
        .filter(e -> e.getEventType().getName().equals(name))
        .filter(e -> e.getString("device").equals(device))
        .toList();
  }

  @Test
  @DisplayName("post, retransmission with its PSN, completion, change of state")
  void events(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.jfr");
    VirtualClock clock = new VirtualClock();
    int qpn;
    try (Rig rig = new Rig(clock, false, HcaConfig.of(GUID, 0x11), HcaConfig.of(0x20, 0x21));
        Recording recording = new Recording()) {
      for (String e : List.of("ib.Post", "ib.Completion", "ib.Retransmission", "ib.QpState")) {
        recording.enable(e);
      }
      recording.start();
      rig.connect(QpType.RC, 16, 8, 7, 7);
      Rig.Side a = rig.a();
      qpn = a.qp.qpn();
      int[] lost = {0};
      rig.wire.loses(p -> p.dlid == rig.b().lid() && lost[0]++ == 1); // the second of three
      for (int i = 1; i <= 3; i++) {
        a.qp.wrStart();
        a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
        a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
        a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
        assertEquals(PostStatus.OK, a.qp.wrComplete());
      }
      rig.settle();
      for (int i = 1; i <= 3; i++) {
        assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
      }
      a.qp.modify(new QpAttr().state(QpState.ERR));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> all = RecordingFile.readAllEvents(file);
    assertEquals(3, of(all, "ib.Post").size());
    assertEquals(3, of(all, "ib.Completion").size());
    List<RecordedEvent> again = of(all, "ib.Retransmission");
    assertEquals(1, again.size());
    assertEquals(qpn, again.getFirst().getInt("qpn"));
    assertEquals(0xffffff, again.getFirst().getInt("psn"), "of the second request");
    List<String> states = of(all, "ib.QpState").stream().map(e -> e.getString("to")).toList();
    assertEquals(List.of("INIT", "RTR", "RTS", "ERR"), states);
    assertTrue(all.stream().allMatch(e -> e.getEventType().getName().startsWith("ib.")));
  }
}
