package ib.tools.pingpong;

import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.util.Arrays;

/**
 * The loop of one end: answers each message with its next one, and keeps receives posted. Counts as
 * the original does (rc_pingpong.c, parse_single_wc; srq_pingpong.c). For the run's thread only.
 */
final class Player {
  private static final int RECV = 1;
  private static final int SEND = 2;
  private static final int BATCH = 20;

  private final Endpoint end;
  private final Settings settings;
  private final boolean inline;
  private final SendWr send = new SendWr(1);
  private final WorkCompletion[] completions = new WorkCompletion[BATCH];

  /** The completion times of the receives. */
  final Ticks ticks = new Ticks();

  private final int[] pending;
  private int receivesPosted;
  private int received;
  private int sent;

  /** Posts the receives; arms the completion queue if the run sleeps on events. */
  Player(Endpoint end, Settings settings) {
    this.end = end;
    this.settings = settings;
    pending = new int[end.qps.size()];
    Arrays.fill(pending, RECV);
    for (int i = 0; i < BATCH; i++) {
      completions[i] = new WorkCompletion();
    }
    inline = end.qps.getFirst().cap().maxInlineData() >= settings.size();
    postReceives();
    if (settings.modes().events()) {
      arm();
    }
  }

  /** Prepares the send request, after the peer is known. */
  void connected() {
    Payload p = end.payload;
    send.wrId(SEND).flags(SendFlags.SIGNALED).clearSges();
    if (inline) {
      send.inline(end.region.segment(), p.offset, p.size);
    } else {
      send.addSge(end.region.lkey(), end.region.iova() + p.offset, p.size);
    }
    send.ah(end.ah()).remoteQpn(end.remoteQpn()).remoteQkey(end.qkey());
  }

  /** Sends the first message of each queue pair. */
  void serve() {
    if (settings.modes().check()) {
      end.payload.write();
    }
    for (int i = 0; i < pending.length; i++) {
      postSend(i);
      pending[i] |= SEND;
    }
  }

  /** {@return whether all messages were sent and received} */
  boolean done() {
    return received >= settings.iters() && sent >= settings.iters();
  }

  /** Arms the completion queue, so that the next completion raises an event. */
  void arm() {
    if (end.cq.requestNotify(NotifyFlags.NEXT_COMP) < 0) {
      throw new CommandException("Couldn't request CQ notification");
    }
  }

  /** Polls and handles completions. {@return the number of completions} */
  int poll() {
    int n = settings.modes().timestamps() ? pollLazily() : end.cq.poll(completions, BATCH);
    if (n < 0) {
      throw new CommandException("poll CQ failed " + n);
    }
    for (int i = 0; i < n; i++) {
      handle(completions[i]);
    }
    return n;
  }

  /** Polls by the extended interface, which the original uses for timestamps. */
  private int pollLazily() {
    if (!end.cq.startPoll()) {
      return 0;
    }
    int n = 0;
    do {
      end.cq.readCurrent(completions[n++]);
    } while (n < BATCH && end.cq.nextPoll());
    end.cq.endPoll();
    return n;
  }

  private void handle(WorkCompletion wc) {
    if (wc.status() != WcStatus.SUCCESS) {
      throw new CommandException(
          "Failed status "
              + wc.status().label()
              + " ("
              + wc.status().value()
              + ") for wr_id "
              + wc.wrId());
    }
    if (wc.wrId() == SEND) {
      sent++;
    } else if (wc.wrId() == RECV) {
      receivesPosted--;
      if (receivesPosted <= pending.length) {
        postReceives();
      }
      received++;
      if (settings.modes().timestamps()) {
        ticks.add(wc.timestamp());
      }
    } else {
      throw new CommandException("Completion for unknown wr_id " + wc.wrId());
    }
    int qp = pending.length == 1 ? 0 : end.indexOf(wc.qpn());
    pending[qp] &= ~(int) wc.wrId();
    if (sent < settings.iters() && pending[qp] == 0) {
      postSend(qp);
      pending[qp] = RECV | SEND;
    }
  }

  private void postReceives() {
    while (receivesPosted < settings.rxDepth()) {
      if (end.postReceive(RECV) != PostStatus.OK) {
        throw new CommandException("Couldn't post receive (" + receivesPosted + ")");
      }
      receivesPosted++;
    }
  }

  private void postSend(int i) {
    QueuePair qp = end.qps.get(i);
    int rc = settings.modes().newPost() ? build(qp) : qp.postSend(send);
    if (rc != PostStatus.OK) {
      throw new CommandException("Couldn't post send");
    }
  }

  private int build(QueuePair qp) {
    Payload p = end.payload;
    qp.wrStart();
    qp.wrId(SEND).wrFlags(SendFlags.SIGNALED);
    qp.wrSend();
    if (inline) {
      qp.wrSetInline(end.region.segment(), p.offset, p.size);
    } else {
      qp.wrSetSge(end.region.lkey(), end.region.iova() + p.offset, p.size);
    }
    return qp.wrComplete();
  }
}
