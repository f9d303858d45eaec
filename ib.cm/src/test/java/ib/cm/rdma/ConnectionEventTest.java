package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionEventTest {
  private static RecordedEvent only(List<RecordedEvent> all, Predicate<RecordedEvent> which) {
    List<RecordedEvent> found = all.stream().filter(which).toList();
    assertEquals(1, found.size(), all::toString);
    return found.getFirst();
  }

  @Test
  @DisplayName("issue 14, section 4: a JFR event for each connection, with its times and its end")
  void recorded(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("connections.jfr");
    Party mine = new Party();
    Party theirs = new Party();
    Party refused = new Party();
    String server;
    try (World world = new World();
        Recording recording = new Recording()) {
      recording.start();
      RdmaListener listener = world.listen();
      server = Routes.text(world.at(listener));
      RdmaConnection active = world.client.start(world.at(listener), RdmaOptions.rc(), mine, mine);
      RdmaConnection passive = world.request().accept(RdmaOptions.rc(), theirs, theirs);
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals("ESTABLISHED", theirs.hear());
      active.disconnect();
      mine.hear();
      theirs.hear();
      active.close();
      passive.close();
      RdmaConnection second =
          world.client.start(world.at(listener), RdmaOptions.rc(), refused, refused);
      world.request().reject(new byte[0]);
      refused.hear();
      second.close();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(e -> e.getEventType().getName().equals("ib.Connection"))
            .toList();
    assertEquals(3, events.size(), events::toString);
    RecordedEvent made =
        only(
            events,
            e -> e.getString("remote").equals(server) && e.getString("end").equals("DISCONNECTED"));
    assertEquals("soft0", made.getString("device"));
    assertEquals("connect to " + server, made.getString("what"));
    assertEquals("TCP", made.getString("space"));
    assertEquals(0, made.getInt("status"));
    Duration resolved = made.getDuration("resolved");
    Duration ready = made.getDuration("ready");
    assertTrue(resolved.isPositive() && ready.compareTo(resolved) > 0, made::toString);
    assertTrue(made.getDuration().compareTo(ready) > 0, made::toString);
    RecordedEvent there = only(events, e -> e.getString("local").equals(server));
    assertEquals("soft1", there.getString("device"));
    RecordedEvent not = only(events, e -> e.getString("end").equals("REJECTED"));
    assertEquals(28, not.getInt("status"));
    assertTrue(not.getDuration("ready").isNegative(), "never");
  }
}
