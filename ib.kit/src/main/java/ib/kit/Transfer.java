package ib.kit;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Assertions;

/**
 * One message from end to end: posted, completed on both sides, every byte where it belongs and no
 * other byte touched.
 */
final class Transfer {
  static final int GRH = 40;
  private static final int SOURCE = 4096;
  private static final int TARGET = 140 << 10;
  private static final byte UNTOUCHED = 0x5a;

  private final Trial trial;
  private final Pair pair;
  private final WrOpcode op;
  private final int size;
  private int sges = 1;
  private int receiveSges = 1;
  private int flags = SendFlags.SIGNALED;
  private boolean inline;
  private boolean atTheEnd;

  Transfer(Trial trial, Pair pair, WrOpcode op, int size) {
    this.trial = trial;
    this.pair = pair;
    this.op = op;
    this.size = size;
  }

  /** In so many pieces on the requester's side and, for sends, on the receiver's. */
  Transfer sges(int here, int there) {
    sges = here;
    receiveSges = there;
    return this;
  }

  Transfer flags(int more) {
    flags |= more;
    return this;
  }

  Transfer inline() {
    inline = true;
    return this;
  }

  /** Up to the last byte of the region on both sides. */
  Transfer atTheEnd() {
    atTheEnd = true;
    return this;
  }

  /** Runs the transfer with both forms of posting, one after the other. */
  void run() {
    for (Form form : Form.values()) {
      run(form);
    }
  }

  private boolean read() {
    return op == WrOpcode.RDMA_READ;
  }

  private boolean send() {
    return op == WrOpcode.SEND || op == WrOpcode.SEND_WITH_IMM;
  }

  private boolean imm() {
    return op == WrOpcode.SEND_WITH_IMM || op == WrOpcode.RDMA_WRITE_WITH_IMM;
  }

  private boolean receives() {
    return send() || imm();
  }

  private int grh() {
    return pair.datagram() && send() ? GRH : 0;
  }

  private void run(Form form) {
    End from = read() ? pair.b : pair.a;
    End to = read() ? pair.a : pair.b;
    int end = End.BYTES - size - grh();
    Layout source = Layout.of(atTheEnd ? end : SOURCE, size, read() ? 1 : sges);
    Layout target =
        Layout.of(atTheEnd ? end : TARGET, size + grh(), read() ? sges : send() ? receiveSges : 1);
    byte[] message = new byte[size];
    new Random(size * 31L + op.value()).nextBytes(message);
    to.mr.segment().fill(UNTOUCHED);
    source.put(from.mr.segment(), message);

    if (receives()) {
      receive(target);
    }
    SendWr wr = request(read() ? target : source, message, read() ? source : target);
    Assertions.assertEquals(PostStatus.OK, form.post(pair.a.qp, pair.aim(wr, trial)), form.name());
    if (inline) {
      source.put(from.mr.segment(), new byte[size]); // copied at the post: free at once
    }
    if (receives()) {
      received(Await.success(pair.b.recvCq, 0x22));
    }
    sent(Await.success(pair.a.sendCq, 0x11));
    verify(to, target, message);
    Await.empty(pair.a.sendCq, "one completion for one request");
    Await.empty(pair.b.recvCq, "one completion for one receive");
  }

  private void receive(Layout target) {
    RecvWr wr = new RecvWr(Shape.SGES).wrId(0x22);
    if (send()) {
      target.addTo(wr, pair.b.mr);
    }
    SharedReceiveQueue srq = pair.b.srq;
    int status = srq == null ? pair.b.qp.postReceive(wr) : srq.postReceive(wr);
    Assertions.assertEquals(PostStatus.OK, status, "postReceive");
  }

  private SendWr request(Layout local, byte[] message, Layout remote) {
    SendWr wr =
        new SendWr(Shape.SGES)
            .wrId(0x11)
            .opcode(op)
            .flags(flags)
            .immData(0x8badf00d)
            .rkey(pair.b.mr.rkey())
            .remoteAddr(pair.b.addr() + remote.offsets()[0]);
    if (inline) {
      wr.inline(MemorySegment.ofArray(message.clone()), 0, size);
    } else {
      local.addTo(wr, pair.a.mr);
    }
    return wr;
  }

  private void received(WorkCompletion wc) {
    WcOpcode expected = send() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM;
    Assertions.assertEquals(expected, wc.opcode(), wc::toString);
    Assertions.assertEquals(size + grh(), wc.byteLen(), wc::toString);
    Assertions.assertEquals(pair.b.qp.qpn(), wc.qpn(), wc::toString);
    Assertions.assertEquals(imm(), (wc.wcFlags() & WcFlags.WITH_IMM) != 0, wc::toString);
    if (imm()) {
      Assertions.assertEquals(0x8badf00d, wc.immData(), "immediate data");
    }
    if (pair.datagram()) {
      Assertions.assertEquals(pair.a.qp.qpn(), wc.srcQp(), "source queue pair");
    }
  }

  private void sent(WorkCompletion wc) {
    WcOpcode expected = read() ? WcOpcode.RDMA_READ : send() ? WcOpcode.SEND : WcOpcode.RDMA_WRITE;
    Assertions.assertEquals(expected, wc.opcode(), wc::toString);
    Assertions.assertEquals(pair.a.qp.qpn(), wc.qpn(), wc::toString);
    if (read()) {
      Assertions.assertEquals(size, wc.byteLen(), wc::toString);
    }
  }

  private void verify(End to, Layout target, byte[] message) {
    byte[] expected = new byte[End.BYTES];
    Arrays.fill(expected, UNTOUCHED);
    byte[] all = new byte[size + grh()];
    System.arraycopy(message, 0, all, grh(), size);
    System.arraycopy(target.get(to.mr.segment()), 0, all, 0, grh()); // its content is another case
    target.put(expected, all);
    if (pair.a.shape.type() == QpType.UC && !receives()) {
      // a UC write is complete when it is sent; when it has arrived, only its memory tells
      Await.until("the bytes of a UC write", () -> Arrays.equals(all, target.get(to.mr.segment())));
    }
    byte[] is = to.mr.segment().toArray(ValueLayout.JAVA_BYTE);
    int wrong = Arrays.mismatch(expected, is);
    Assertions.assertEquals(
        -1, wrong, () -> op + " of " + size + " B: first wrong byte at offset " + wrong);
  }
}
