package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
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
      case SEND_WITH_INV -> qp.wrSendInv(wr.invalidateRkey());
      case LOCAL_INV -> qp.wrLocalInv(wr.invalidateRkey());
      case ATOMIC_CMP_AND_SWP ->
          qp.wrAtomicCmpSwp(wr.rkey(), wr.remoteAddr(), wr.compareAdd(), wr.swap());
      case ATOMIC_FETCH_AND_ADD -> qp.wrAtomicFetchAdd(wr.rkey(), wr.remoteAddr(), wr.compareAdd());
      case ATOMIC_WRITE -> qp.wrAtomicWrite(wr.rkey(), wr.remoteAddr(), wr.compareAdd());
      default -> memory(qp, wr);
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

  private static void memory(QueuePair qp, SendWr wr) {
    MemoryWork m = wr.memory();
    if (m == null) {
      throw new IllegalArgumentException("no builder call for " + wr.opcode());
    }
    MemoryRegion region = m.region();
    MemoryWindow window = m.window();
    if (wr.opcode() == WrOpcode.FLUSH) {
      qp.wrFlush(wr.rkey(), wr.remoteAddr(), m.length(), m.flushType(), m.flushLevel());
    } else if (region != null && window != null) {
      qp.wrBindMw(window, m.key(), region, m.address(), m.length(), m.access());
    } else if (region != null) {
      qp.wrRegMr(region, m.key(), m.access());
    }
  }
}
