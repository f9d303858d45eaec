package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendWr;
import java.lang.foreign.MemorySegment;

/** The two forms of posting the same request. */
enum Form {
  /** {@link QueuePair#postSend}. */
  LIST {
    @Override
    int post(QueuePair qp, SendWr wr) {
      return qp.postSend(wr);
    }
  },
  /** {@link QueuePair#wrStart} to {@link QueuePair#wrComplete}. */
  BUILDER {
    @Override
    int post(QueuePair qp, SendWr first) {
      qp.wrStart();
      for (SendWr wr = first; wr != null; wr = wr.next()) {
        build(qp, wr);
      }
      return qp.wrComplete();
    }
  };

  abstract int post(QueuePair qp, SendWr wr);

  private static void build(QueuePair qp, SendWr wr) {
    qp.wrId(wr.wrId()).wrFlags(wr.flags());
    switch (wr.opcode()) {
      case SEND -> qp.wrSend();
      case SEND_WITH_IMM -> qp.wrSendImm(wr.immData());
      case RDMA_WRITE -> qp.wrRdmaWrite(wr.rkey(), wr.remoteAddr());
      case RDMA_WRITE_WITH_IMM -> qp.wrRdmaWriteImm(wr.rkey(), wr.remoteAddr(), wr.immData());
      case RDMA_READ -> qp.wrRdmaRead(wr.rkey(), wr.remoteAddr());
      default -> throw new IllegalArgumentException("no builder call for " + wr.opcode());
    }
    AddressHandle ah = wr.ah();
    if (ah != null) {
      qp.wrSetUdAddress(ah, wr.remoteQpn(), wr.remoteQkey());
    }
    MemorySegment inline = wr.inlineSegment();
    if (inline != null) {
      qp.wrSetInline(inline, wr.inlineOffset(), wr.inlineLength());
      return;
    }
    for (int i = 0; i < wr.sgeCount(); i++) {
      qp.wrAddSge(wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i));
    }
  }
}
