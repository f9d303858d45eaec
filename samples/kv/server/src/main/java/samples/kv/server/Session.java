package samples.kv.server;

import ib.core.verbs.*;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import samples.kv.api.Bucket;

/**
 * The server's end of a connection. All that happens after {@link #connect} happens in callbacks of
 * its completion queue, one at a time. They run on the core's workers, where a callback may wait:
 * {@link Table#apply} does while it serves another connection.
 */
final class Session {
  private static final int SLOTS = 2; // the next message may come before the last answer is out

  private final Table table;
  private final Deque<IbObject> made = new ArrayDeque<>(); // the newest first
  private MemoryRegion region;
  private QueuePair qp;

  Session(Table table) {
    this.table = table;
  }

  void connect(ProtectionDomain pd, QueuePair client) {
    region = made(pd.allocMemory(SLOTS * Bucket.BYTES, 64, Access.LOCAL_WRITE));
    CqInit init = CqInit.managed(2 * SLOTS, 0, PollContext.WORKQUEUE);
    CompletionQueue cq = made(pd.device().createCq(init));
    qp = made(pd.createQp(new QpInit(QpType.RC, cq, new QpCap(SLOTS, SLOTS, 1, 1, 0))));
    QueuePairs.connect(client, qp);
    for (int i = 0; i < SLOTS; i++) {
      new Slot(i).receive();
    }
  }

  private <T extends IbObject> T made(T object) {
    made.push(object);
    return object;
  }

  /** Closes the queue pair, then its completion queue, which ends the callbacks, then memory. */
  void close() {
    made.forEach(IbObject::close);
  }

  /** A place for one message: it is received, done, answered, and the next one is received. */
  private final class Slot {
    private final long from;
    private final MemorySegment message;

    Slot(int number) {
      from = (long) number * Bucket.BYTES;
      message = region.segment().asSlice(from, Bucket.BYTES);
    }

    /** A refusal means that the queue pair goes, and the client hears that by itself. */
    void receive() {
      qp.postReceive(this::received, region.lkey(), region.iova() + from, Bucket.BYTES);
    }

    private void received(CompletionQueue cq, WorkCompletion wc) {
      if (wc.status() == WcStatus.SUCCESS) {
        int answer = table.apply(wc.immData(), message, wc.byteLen());
        qp.wrStart()
            .wrCqe(this::answered)
            .wrFlags(SendFlags.SIGNALED)
            .wrSendImm(answer)
            .wrComplete();
      }
    }

    private void answered(CompletionQueue cq, WorkCompletion wc) {
      if (wc.status() == WcStatus.SUCCESS) {
        receive();
      }
    }
  }
}
