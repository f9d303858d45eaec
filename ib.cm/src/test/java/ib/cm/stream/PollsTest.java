package ib.cm.stream;

import static ib.cm.stream.StreamWorld.DEFAULTS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.WorkCompletion;
import ib.driver.soft.standalone.SoftFabric;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("F8: how often the calls of a stream look for completions")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PollsTest {
  /** Counts the looks. The lock of the stream's end guards it. */
  private static final class Counted extends StreamQueue {
    int polls;

    Counted(StreamOptions options) {
      super(options);
    }

    @Override
    int poll(WorkCompletion[] into) {
      polls++;
      return super.poll(into);
    }
  }

  @Test
  @DisplayName(
      "F8: a read of what is there looks once; small writes do not look while nothing is scarce")
  void calls() throws Exception {
    Counted looks = new Counted(DEFAULTS);
    StreamEnd end = new StreamEnd(DEFAULTS, looks);
    try (StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"))) {
      world.listen(DEFAULTS);
      Future<RdmaStream> accepted = world.accepted();
      RdmaConnection made = world.client.start(world.at(), RdmaOptions.rc(), end, end);
      made.established().get(1, TimeUnit.MINUTES);
      end.begin(made, StreamTerms.of(made.data()));
      try (RdmaStream mine = new RdmaStream(end, made);
          RdmaStream theirs = accepted.get(1, TimeUnit.MINUTES)) {
        theirs.write(ByteBuffer.allocate(100));
        assertEquals(1, mine.read(ByteBuffer.allocate(1))); // the message is there now
        for (int i = 1; i < 100; i++) {
          int before = looks.polls;
          assertEquals(1, mine.read(ByteBuffer.allocate(1)));
          assertEquals(1, looks.polls - before, "looks of read " + i);
        }
        int before = looks.polls;
        for (int i = 0; i < 100; i++) { // of 384 places
          mine.write(ByteBuffer.allocate(1));
        }
        assertEquals(0, looks.polls - before, "looks of 100 writes of a byte");
        assertEquals(100, StreamWorld.read(theirs, 100).length);
      }
    }
  }
}
