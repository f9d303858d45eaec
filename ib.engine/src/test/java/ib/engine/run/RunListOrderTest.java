package ib.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.engine.cq.IdleMember;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a run has gathered is sent while no other thread can run its queue pairs. */
class RunListOrderTest {
  /** Sends one packet by an outbox, which looks whether the claim is free when it is flushed. */
  private static final class Sender extends IdleMember {
    final List<String> seen = new ArrayList<>();
    private boolean sent;

    @Override
    protected boolean step(RunList run) {
      if (!sent) {
        sent = true;
        run.gather(() -> seen.add(schedule() ? "another thread may send" : "claimed"));
      }
      return false;
    }
  }

  @Test
  @DisplayName("RunContext.gather: a thread that receives flushes before it releases a queue pair")
  void received() {
    RunList list = RunList.ofBatches(1 << 20);
    Sender qp = new Sender();
    list.schedule(qp); // as a packet for the queue pair does
    list.finishBatch();
    assertEquals(List.of("claimed"), qp.seen);
  }

  @Test
  @DisplayName(
      "RunContext.gather: a poster flushes before it releases a queue pair that it ran besides its own")
  void besides() {
    Sender root = new Sender();
    Sender other = new Sender();
    root.sent = true;
    RunList list = new RunList(1 << 20);
    root.schedule();
    list.begin(root);
    list.schedule(other);
    list.end(root, false);
    assertEquals(List.of("claimed"), other.seen);
  }
}
